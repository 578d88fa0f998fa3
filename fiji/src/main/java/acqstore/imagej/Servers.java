package acqstore.imagej;

import java.io.File;
import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Finds the server: the one that is named, or the one of this user that runs on this computer. */
final class Servers {
  private static final String DEFAULT_URL = "http://127.0.0.1:8767";
  private static final int MAX_INSTANCE_BYTES = 1 << 16;

  private Servers() {}

  /**
   * Returns the server that ACQSTORE_URL names, or the running one.
   *
   * @throws AcquisitionException `no_server`
   */
  static Transport find() throws IOException {
    String named = setting("ACQSTORE_URL");
    if (named != null) return checked(new Transport(named, setting("ACQSTORE_TOKEN")));
    for (Fields instance : instances()) return new Transport(instance.text("url"), instance.text("token"));
    try {
      return checked(new Transport(DEFAULT_URL, null));
    } catch (AcquisitionException error) {
      String message =
          "No server runs on this computer. Start it in a terminal: acqstore serve. The environment variable ACQSTORE_URL "
              + "names a server elsewhere.";
      throw new AcquisitionException("no_server", message);
    }
  }

  /** Returns the server at an address, with its token only when that is known to belong there. */
  static Transport at(String url, String token) throws IOException {
    if (token != null) return checked(new Transport(url, token));
    String named = setting("ACQSTORE_URL");
    if (named != null && origin(named).equals(origin(url))) return checked(new Transport(url, setting("ACQSTORE_TOKEN")));
    for (Fields instance : instances()) {
      if (origin(instance.text("url")).equals(origin(url))) return checked(new Transport(url, instance.text("token")));
    }
    return checked(new Transport(url, null));
  }

  private static Transport checked(Transport transport) throws IOException {
    String version = transport.ask("GET", "/api/v2", null).text("apiVersion");
    if ("v2".equals(version)) return transport;
    throw new AcquisitionException("not_a_server", transport.url + " is not a server of API v2");
  }

  private static String origin(String url) throws IOException {
    URL parsed = new URL(url);
    int port = parsed.getPort() < 0 ? parsed.getDefaultPort() : parsed.getPort();
    return (parsed.getProtocol() + "://" + parsed.getHost() + ":" + port).toLowerCase(Locale.ROOT);
  }

  /** Returns the instances of this computer that prove that they wrote their file. */
  private static List<Fields> instances() {
    List<Fields> found = new ArrayList<>();
    File[] files = stateFolder().listFiles((folder, name) -> name.matches("instance-.*\\.json"));
    if (files == null) return found;
    Arrays.sort(files);
    for (File file : files) {
      try {
        if (file.length() > MAX_INSTANCE_BYTES) continue;
        Fields instance = Fields.parse(new String(Files.readAllBytes(file.toPath()), StandardCharsets.UTF_8));
        // Computers may share a home folder.
        if (!hostName().equals(instance.text("hostname"))) continue;
        if (proves(instance.text("url"), instance.text("secret"))) found.add(instance);
      } catch (IOException | GeneralSecurityException error) {
        continue;
      }
    }
    return found;
  }

  /** True when the server wrote the instance file: the token must not reach another program on the port. */
  private static boolean proves(String url, String secret) throws GeneralSecurityException {
    if (url == null || secret == null || secret.isEmpty()) return false;
    byte[] random = new byte[32];
    new SecureRandom().nextBytes(random);
    String challenge = hex(random);
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
    String expected = hex(mac.doFinal(("acqstore instance " + challenge).getBytes(StandardCharsets.UTF_8)));
    String proof = Transport.header(url, "x-acqstore-challenge", challenge, "X-Acqstore-Proof");
    return proof != null && MessageDigest.isEqual(proof.getBytes(StandardCharsets.UTF_8), expected.getBytes(StandardCharsets.UTF_8));
  }

  private static String hex(byte[] bytes) {
    return String.format("%0" + 2 * bytes.length + "x", new BigInteger(1, bytes));
  }

  private static String hostName() throws IOException {
    return InetAddress.getLocalHost().getHostName();
  }

  private static File stateFolder() {
    String named = setting("ACQSTORE_STATE_DIR");
    if (named != null) return new File(named);
    File home = new File(System.getProperty("user.home"));
    String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    String base;
    if (system.startsWith("windows")) {
      base = either(setting("LOCALAPPDATA"), new File(home, "AppData/Local"));
    } else if (system.startsWith("mac")) {
      base = new File(home, "Library/Application Support").getPath();
    } else {
      base = either(setting("XDG_STATE_HOME"), new File(home, ".local/state"));
    }
    return new File(base, "acquisition-store");
  }

  private static String either(String named, File otherwise) {
    return named == null ? otherwise.getPath() : named;
  }

  private static String setting(String name) {
    String value = System.getenv(name);
    return value == null || value.isEmpty() ? null : value;
  }
}
