// DeepLink.kt: the destination of a link inside the app, in Kotlin.

extension Snippet {
    static func kotlinDeepLink(package: String, _ own: OwnLinks) -> String {
        """
        package \(package)

        import android.net.Uri

        /** The destination of a link inside the app, for App Links and links of the custom scheme. */
        data class DeepLink(val path: String, val parameters: Map<String, String>, val fragment: String?) {
            companion object {
                private val hosts = setOf<String>(\(own.hosts))
                private val hostSuffixes = listOf<String>(\(own.suffixes))
                private val scheme: String? = \(own.scheme)

                private val answers = Regex("^[A-Za-z0-9_.%~-]+=")

                private fun isOwn(host: String): Boolean {
                    val name = host.lowercase()
                    return name in hosts || hostSuffixes.any { name.endsWith(it) }
                }

                /** Null if the link does not belong to this app. */
                fun of(uri: Uri): DeepLink? {
                    val host = uri.host.orEmpty()
                    val path = when (uri.scheme?.lowercase()) {
                        null -> return null
                        "https", "http" -> if (isOwn(host)) uri.path.orEmpty() else return null
                        // scheme:///products/1, scheme://HOST/products/1 and scheme://products/1 lead to the same place.
                        scheme -> if (host.isEmpty() || isOwn(host)) uri.path.orEmpty() else host + uri.path.orEmpty()
                        else -> return null
                    }
                    val parameters = LinkedHashMap<String, String>()
                    // Sign-in services return their answer in the fragment: #access_token=…&state=…
                    val answer = uri.encodedFragment?.takeIf { answers.containsMatchIn(it) }
                    for (part in listOfNotNull(uri.encodedQuery, answer)) {
                        for (item in part.split("&")) {
                            val name = Uri.decode(item.substringBefore("="))
                            parameters.putIfAbsent(name, Uri.decode(item.substringAfter("=", "")))
                        }
                    }
                    return DeepLink("/" + path.trimStart('/'), parameters, if (answer == null) uri.fragment else null)
                }
            }
        }

        """
    }
}
