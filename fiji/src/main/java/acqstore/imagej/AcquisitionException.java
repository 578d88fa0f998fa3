package acqstore.imagej;

import java.io.IOException;

/** An acquisition that cannot be opened or read; its message is for people. */
public final class AcquisitionException extends IOException {
  private static final long serialVersionUID = 1L;

  private final String code;

  AcquisitionException(String code, String message) {
    super(message);
    this.code = code;
  }

  /** Returns the code of the server, such as `path_not_found`, or one of the plug-in, such as `no_server`. */
  public String code() {
    return code;
  }
}
