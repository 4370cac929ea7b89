// MainActivity.kt: an activity that handles links on a cold start and while it runs.

extension Snippet {
    static func kotlinMainActivity(package: String) -> String {
        """
        package \(package)

        import android.content.Intent
        import android.os.Bundle
        import androidx.activity.ComponentActivity

        class MainActivity : ComponentActivity() {
            override fun onCreate(savedInstanceState: Bundle?) {
                super.onCreate(savedInstanceState)
                // A cold start by a link. After a rotation there is a saved state, and the link was already handled.
                if (savedInstanceState == null) handle(intent)
            }

            override fun onNewIntent(intent: Intent) {
                super.onNewIntent(intent)
                setIntent(intent)
                handle(intent)
            }

            private fun handle(intent: Intent) {
                if (intent.action != Intent.ACTION_VIEW) return
                val link = DeepLink.of(intent.data ?: return) ?: return
                show(link)
            }

            private fun show(link: DeepLink) {
                // Show the content for link.path.
            }
        }

        """
    }
}
