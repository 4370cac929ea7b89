# The formula of a tap, for Homebrew on Linux: the tarball of a release. The workflow of a release fills in the words in capitals and
# adds the file to the release; copy it from there to Formula/ of the tap. There is none for macOS until the commands build there.
class Associated < Formula
  desc "Check and serve the files that bind domains to mobile apps"
  homepage "REPOSITORY"
  url "REPOSITORY/releases/download/vVERSION/associated-VERSION-x86_64-linux.tar.gz"
  sha256 "DIGEST"
  license "Apache-2.0"

  # The tarball is linked with the system's OpenSSL 3 and zlib, and with glibc 2.34 or later.
  depends_on arch: :x86_64
  depends_on :linux

  def install
    bin.install "bin/associated"
    man1.install "share/man/man1/associated.1"
    bash_completion.install "share/bash-completion/completions/associated"
    fish_completion.install "share/fish/vendor_completions.d/associated.fish"
    zsh_completion.install "share/zsh/site-functions/_associated"
    pkgshare.install Dir["share/associated/*"]
  end

  test do
    (testpath/"assetlinks.json").write "[{]"
    assert_match "assetlinks.json:1:3: error", shell_output("#{bin}/associated lint assetlinks.json", 1)
  end
end
