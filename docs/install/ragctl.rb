# Homebrew formula, for a tap of your own: copy it to Formula/ragctl.rb there, with the checksums of the release (SHA256SUMS).
class Ragctl < Formula
  desc "Ask your own documents and get answers with file and page, entirely on your machine"
  homepage "https://github.com/OWNER/ragctl"
  version "0.1.0"
  license "Apache-2.0"

  on_macos do
    url "https://github.com/OWNER/ragctl/releases/download/v0.1.0/ragctl-0.1.0-darwin-arm64.tgz"
    sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  end
  on_linux do
    on_intel do
      url "https://github.com/OWNER/ragctl/releases/download/v0.1.0/ragctl-0.1.0-linux-x64.tgz"
      sha256 "0000000000000000000000000000000000000000000000000000000000000000"
    end
    on_arm do
      url "https://github.com/OWNER/ragctl/releases/download/v0.1.0/ragctl-0.1.0-linux-arm64.tgz"
      sha256 "0000000000000000000000000000000000000000000000000000000000000000"
    end
  end

  depends_on "node"
  depends_on "python@3.13"

  # The archive holds the packages it runs with: nothing is fetched or compiled.
  def install
    libexec.install Dir["*"]
    bin.install_symlink libexec/"bin/ragctl.js" => "ragctl"
  end

  def caveats
    "Models and documents stay when this is removed: ragctl uninstall shows and removes them."
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/ragctl --version")
  end
end
