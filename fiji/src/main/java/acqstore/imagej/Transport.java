package acqstore.imagej;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URL;
import java.nio.charset.StandardCharsets;

/** Sends requests to one server. */
final class Transport {
  private static final int CONNECT_MS = 5_000;
  /** Opening and decoding may take long; the server has limits of its own. */
  private static final int ANSWER_MS = 300_000;
  private static final int MAX_JSON_BYTES = 1 << 26;

  final String url;
  private final String token;

  /** @param token sent with every request, or null */
  Transport(String url, String token) {
    this.url = url.replaceAll("/+$", "");
    this.token = token == null || token.isEmpty() ? null : token;
  }

  /**
   * Returns the JSON that the server answers.
   *
   * @param body JSON, or null
   * @throws AcquisitionException with the code and message of the server, or `server_unreachable`
   */
  Fields ask(String method, String path, String body) throws IOException {
    HttpURLConnection connection = connect(method, path, ANSWER_MS);
    try {
      if (body != null) send(connection, body);
      check(connection);
      return Fields.parse(readText(connection.getInputStream()));
    } catch (IOException error) {
      throw explained(error);
    }
  }

  /** Reads the samples of a plane into `target`, an array of bytes, shorts or floats. */
  void read(String path, SampleType type, Object target) throws IOException {
    HttpURLConnection connection = connect("GET", path, ANSWER_MS);
    try {
      check(connection);
      String dtype = connection.getHeaderField("X-Array-Dtype");
      if (!type.dtype.equals(dtype)) {
        throw new AcquisitionException("not_a_server", "the plane has samples of the type " + dtype + " instead of " + type.dtype);
      }
      try (InputStream body = connection.getInputStream()) {
        type.read(body, target);
      }
    } catch (IOException error) {
      throw explained(error);
    }
  }

  /** Returns a header of an answer without sending the token; null without it or when nothing answers. */
  static String header(String url, String name, String value, String wanted) {
    try {
      HttpURLConnection connection = new Transport(url, null).connect("GET", "/api/v2/health", CONNECT_MS);
      connection.setRequestProperty(name, value);
      return connection.getResponseCode() == 200 ? connection.getHeaderField(wanted) : null;
    } catch (IOException error) {
      return null;
    }
  }

  private HttpURLConnection connect(String method, String path, int answerMs) throws IOException {
    URL address = new URL(url + path);
    boolean isLocal = address.getHost().matches("127\\.0\\.0\\.1|localhost|\\[?::1\\]?");
    HttpURLConnection connection =
        (HttpURLConnection) (isLocal ? address.openConnection(Proxy.NO_PROXY) : address.openConnection());
    connection.setRequestMethod(method);
    connection.setConnectTimeout(CONNECT_MS);
    connection.setReadTimeout(answerMs);
    // The token must not follow to another server.
    connection.setInstanceFollowRedirects(false);
    connection.setUseCaches(false);
    if (token != null) connection.setRequestProperty("Authorization", "Bearer " + token);
    return connection;
  }

  private static void send(HttpURLConnection connection, String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    connection.setDoOutput(true);
    connection.setRequestProperty("Content-Type", "application/json");
    connection.setFixedLengthStreamingMode(bytes.length);
    try (OutputStream out = connection.getOutputStream()) {
      out.write(bytes);
    }
  }

  private static void check(HttpURLConnection connection) throws IOException {
    int status = connection.getResponseCode();
    if (status == 200) return;
    InputStream body = connection.getErrorStream();
    String text = body == null ? "" : readText(body);
    Fields answer;
    try {
      answer = Fields.parse(text);
    } catch (AcquisitionException error) {
      throw new AcquisitionException("not_a_server", connection.getURL() + " answers " + status);
    }
    String code = answer.text("error");
    String message = answer.text("message");
    throw new AcquisitionException(code == null ? "not_a_server" : code, message == null ? "Status " + status : message);
  }

  private static String readText(InputStream body) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    byte[] part = new byte[1 << 14];
    try (InputStream in = body) {
      for (int length = in.read(part); length >= 0; length = in.read(part)) {
        bytes.write(part, 0, length);
        if (bytes.size() > MAX_JSON_BYTES) throw new AcquisitionException("not_json", "the answer is longer than 64 MiB");
      }
    }
    return new String(bytes.toByteArray(), StandardCharsets.UTF_8);
  }

  private AcquisitionException explained(IOException error) {
    if (error instanceof AcquisitionException) return (AcquisitionException) error;
    String message = "The server at " + url + " does not answer (" + error.getMessage() + "). Start it again: acqstore serve";
    return new AcquisitionException("server_unreachable", message);
  }
}
