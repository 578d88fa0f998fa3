package acqstore.imagej;

import java.io.IOException;
import java.util.List;

/** An acquisition that is open on the server: of this plug-in, which ends it, or another program's. */
final class Session {
  private static final long RENEW_NANOS = 60_000_000_000L;

  /** Path to open again after the session has ended; null for a session of another program. */
  private final String path;
  private final Integer scene;
  private final boolean isFound;
  private Transport server;
  private Fields opened;
  private long usedAt = System.nanoTime();
  private boolean isClosed;

  private Session(Transport server, boolean isFound, String path, Integer scene, Fields opened) {
    this.server = server;
    this.isFound = isFound;
    this.path = path;
    this.scene = scene;
    this.opened = opened;
  }

  /** Opens what a person typed; in the scene that the address names, or the first one. */
  static Session open(Address address) throws IOException {
    Transport server = address.server == null ? Servers.find() : Servers.at(address.server, address.token);
    if (address.session == null) {
      return new Session(server, address.server == null, address.path, null, openPath(server, address.path, null));
    }
    Fields opened = server.ask("GET", "/api/v2/sessions/" + address.session + "/acquisition", null);
    Session session = new Session(server, false, null, null, opened);
    return address.scene == null ? session : session.openScene(address.scene);
  }

  /** Returns this session, or one of another scene in its place. */
  Session openScene(int wanted) throws IOException {
    if (wanted == sceneIndex()) return this;
    String file = info().object("source").text("path");
    Session other = new Session(server, isFound, file, wanted, openPath(server, file, wanted));
    close();
    return other;
  }

  private static Fields openPath(Transport server, String path, Integer scene) throws IOException {
    String selection = scene == null ? "" : ",\"selection\":{\"S\":" + scene + "}";
    String body = "{\"path\":" + Json.quote(path) + ",\"decode\":\"later\"" + selection + "}";
    return server.ask("POST", "/api/v2/open", body);
  }

  /** Returns the open response. */
  synchronized Fields info() {
    return opened;
  }

  int sceneIndex() {
    return info().object("selection").integer("S", 0);
  }

  /** Returns a table of what is known of single planes, up to 100,000 of them. */
  synchronized Fields planeTable() throws IOException {
    return server.ask("GET", address("/planes"), null);
  }

  /**
   * Reads a plane of a channel, and opens the file again when the session has ended.
   *
   * @param query such as `?T=3&Z=2`
   */
  synchronized void read(int channel, String query, SampleType type, Object target) throws IOException {
    if (isClosed) throw new AcquisitionException("session_not_found", "The window of this acquisition was closed.");
    try {
      renew();
      server.read(address("/channels/" + channelIndex("", channel) + "/data" + query), type, target);
    } catch (AcquisitionException error) {
      boolean hasEnded = error.code().equals("session_not_found") || error.code().equals("server_unreachable");
      if (!hasEnded || path == null) throw error;
      openAgain(error);
      server.read(address("/channels/" + channelIndex("", channel) + "/data" + query), type, target);
    }
  }

  /** Reads a plane of the reference image. */
  synchronized void readReference(int channel, float[] target) throws IOException {
    String index = channelIndex("reference", channel);
    server.read(address("/reference/channels/" + index + "/data"), SampleType.FLOAT32, target);
  }

  private String channelIndex(String part, int channel) {
    List<Fields> channels = (part.isEmpty() ? opened : opened.object(part)).objects("channels");
    return String.valueOf(channels.get(channel).integer("index", channel));
  }

  /** Reading does not extend the life of a session. */
  private void renew() throws IOException {
    if (System.nanoTime() - usedAt < RENEW_NANOS) return;
    server.ask("POST", address("/renew"), "{}");
    usedAt = System.nanoTime();
  }

  /** Opens the same files again, also on a server that was started again elsewhere. */
  private void openAgain(AcquisitionException ended) throws IOException {
    String revision = opened.object("source").text("revision");
    if (isFound && ended.code().equals("server_unreachable")) {
      try {
        server = Servers.find();
      } catch (IOException error) {
        throw ended;
      }
    }
    Fields again = openPath(server, path, scene);
    if (revision != null && !revision.equals(again.object("source").text("revision"))) {
      server.ask("DELETE", "/api/v2/sessions/" + again.text("sessionId"), null);
      throw new AcquisitionException("source_changed", "The file was changed after it was opened. Open it again.");
    }
    opened = again;
    usedAt = System.nanoTime();
  }

  /** Ends the session, unless it belongs to another program. */
  synchronized void close() {
    if (isClosed) return;
    isClosed = true;
    if (path == null) return;
    try {
      server.ask("DELETE", address(""), null);
    } catch (IOException error) {
      // The server has stopped, or the session has ended: there is nothing left to end.
      return;
    }
  }

  private String address(String rest) {
    return "/api/v2/sessions/" + opened.text("sessionId") + rest;
  }
}
