import Glibc

/// What every command does before anything else.
package enum ProcessStart {
  /// Makes the process fit for work, whatever its caller gave it. To be called before any file is
  /// opened and any thread is started.
  package static func begin() {
    openStandardDescriptors()
    // What is written to a peer that has gone, or beyond `ulimit -f`, fails; it doesn't kill.
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    // Nothing that this program makes is for others; a socket gets the mode that is configured.
    umask(0o077)
  }

  /// A descriptor from 0 to 2 that is closed would be given to the next file that is opened, and
  /// what is printed would destroy it. `/dev/null` takes its place, opened the other way round, so
  /// that reading what isn't there, or writing to it, is still an error.
  private static func openStandardDescriptors() {
    for descriptor in STDIN_FILENO...STDERR_FILENO
    where fcntl(descriptor, F_GETFD) == -1 && errno == EBADF {
      let opened = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
      // The lowest free descriptor is taken, so it is this one; without it nothing is safe.
      guard opened == descriptor else { _exit(ExitCode.failure) }
    }
  }
}
