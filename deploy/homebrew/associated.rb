# The formula of a tap: on Linux the tarball of a release, on macOS its sources, from which the commands are built. The workflow of a
# release fills in the words in capitals and adds the file to the release; copy it from there to Formula/ of the tap.
class Associated < Formula
  desc "Check and serve the files that bind domains to mobile apps"
  homepage "REPOSITORY"
  license "Apache-2.0"

  on_macos do
    url "REPOSITORY/releases/download/vVERSION/associated-VERSION-source.tar.gz"
    sha256 "SOURCES"

    depends_on xcode: ["26.4", :build]
    depends_on macos: :tahoe
    depends_on "openssl@3"
  end

  # The tarball is linked with the system's OpenSSL 3 and zlib, and with glibc 2.34 or later.
  on_linux do
    url "REPOSITORY/releases/download/vVERSION/associated-VERSION-x86_64-linux.tar.gz"
    sha256 "TARBALL"

    depends_on arch: :x86_64
  end

  def caveats
    "macOS has the commands only: the server is for Linux." if OS.mac?
  end

  def install
    if OS.mac?
      system "swift", "build", "--disable-sandbox", "--configuration", "release", "--product", "associated"
      bin.install ".build/release/associated"
      (man1/"associated.1").write Utils.safe_popen_read(bin/"associated", "manual")
      generate_completions_from_executable(bin/"associated", "completion")
    else
      bin.install "bin/associated"
      man1.install "share/man/man1/associated.1"
      bash_completion.install "share/bash-completion/completions/associated"
      fish_completion.install "share/fish/vendor_completions.d/associated.fish"
      zsh_completion.install "share/zsh/site-functions/_associated"
      pkgshare.install Dir["share/associated/*"]
    end
  end

  test do
    (testpath/"assetlinks.json").write "[{]"
    assert_match "assetlinks.json:1:3: error", shell_output("#{bin}/associated lint assetlinks.json", 1)
  end
end
