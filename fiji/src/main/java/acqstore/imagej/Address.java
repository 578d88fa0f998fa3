package acqstore.imagej;

import java.io.File;
import java.io.UnsupportedEncodingException;
import java.net.URLDecoder;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What to open: a path, or an address of a session, of its OME-Zarr, or of the viewer. */
final class Address {
  private static final Pattern SESSION =
      Pattern.compile("(https?://[^?#]*?)/api/v2/sessions/([0-9a-f]{32})(?:/0\\.[45]\\.ome\\.zarr(?:/(\\d{1,9}))?)?(?:[/?].*)?");
  private static final Pattern VIEWER = Pattern.compile("(https?://[^?#]*?)/(?:demo/v2/?)?\\?([^#]*)(?:#(.*))?");

  /** Address of the server; null for the one that is found. */
  final String server;
  final String token;
  final String path;
  final String session;
  /** Scene that the address names; null without one. */
  final Integer scene;

  private Address(String server, String token, String path, String session, Integer scene) {
    this.server = server;
    this.token = token;
    this.path = path;
    this.session = session;
    this.scene = scene;
  }

  /** @throws AcquisitionException `unknown_address` for an address of something else */
  static Address parse(String typed) throws AcquisitionException {
    String text = typed.trim();
    Matcher session = SESSION.matcher(text);
    if (session.matches()) {
      Integer scene = session.group(3) == null ? null : Integer.valueOf(session.group(3));
      return new Address(session.group(1), null, null, session.group(2), scene);
    }
    Matcher viewer = VIEWER.matcher(text);
    if (viewer.matches()) {
      String path = parameter(viewer.group(2), "path");
      String id = parameter(viewer.group(2), "session");
      String token = viewer.group(3) == null ? null : parameter(viewer.group(3), "token");
      if (id != null && !id.matches("[0-9a-f]{32}")) id = null;
      if (path != null || id != null) return new Address(viewer.group(1), token, path, path == null ? id : null, null);
    }
    if (text.matches("https?://.*")) {
      String message =
          "This is not an address of an acquisition: " + text + ". Copy one from the viewer, or give the path of a file.";
      throw new AcquisitionException("unknown_address", message);
    }
    if (text.isEmpty()) throw new AcquisitionException("unknown_address", "The path of a file is missing.");
    File file = new File(text);
    return new Address(null, null, file.exists() ? file.getAbsolutePath() : text, null, null);
  }

  /** Returns a value of a query; null without it. */
  private static String parameter(String query, String name) throws AcquisitionException {
    for (String part : query.split("&")) {
      if (!part.startsWith(name + "=")) continue;
      String value = part.substring(name.length() + 1);
      try {
        // A plus sign is part of a name here, while in a form it would be a blank.
        return value.isEmpty() ? null : URLDecoder.decode(value.replace("+", "%2B"), "UTF-8");
      } catch (UnsupportedEncodingException | IllegalArgumentException error) {
        throw new AcquisitionException("unknown_address", "The address has a malformed " + name + ": " + value);
      }
    }
    return null;
  }
}
