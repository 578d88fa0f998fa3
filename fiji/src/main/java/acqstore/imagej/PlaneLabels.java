package acqstore.imagej;

import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;

/** Labels of planes: the name of the channel, and when and how deep the plane was taken, as exports write them. */
final class PlaneLabels {
  private static final MathContext DIGITS = new MathContext(9);

  private final Scene scene;
  private final int channelsOfFile;
  private final double[] times;
  private final double[] depths;

  PlaneLabels(Scene scene, Session session) throws IOException {
    this.scene = scene;
    Fields info = session.info();
    channelsOfFile = info.object("header").integer("numChannels", scene.channels.size());
    Fields columns = info.has("projection") ? info.object("projection") : table(session).object("columns");
    times = columns.numbers("time");
    depths = columns.numbers("z");
  }

  /** What only describes may be corrupted: planes are shown without it. */
  private static Fields table(Session session) throws IOException {
    try {
      return session.planeTable();
    } catch (AcquisitionException error) {
      if (error.code().equals("decode_failed")) return Fields.parse("{}");
      throw error;
    }
  }

  /** Returns `GFP t=12.5 s z=3 µm`, as far as it is known. */
  String label(int plane) {
    Fields channel = scene.channels.get(scene.channel(plane));
    int place = scene.time(plane) * scene.sections + scene.section(plane);
    int row = place * channelsOfFile + channel.integer("index", scene.channel(plane));
    StringBuilder label = new StringBuilder(scene.channels.size() > 1 || times == null ? channel.text("name") : "");
    append(label, "t", times, row, "s");
    append(label, "z", depths, row, "µm");
    return label.toString();
  }

  private static void append(StringBuilder label, String letter, double[] values, int row, String unit) {
    if (values == null || row >= values.length || Double.isNaN(values[row])) return;
    BigDecimal rounded = new BigDecimal(values[row]).round(DIGITS);
    String text = rounded.signum() == 0 ? "0" : rounded.stripTrailingZeros().toPlainString();
    if (label.length() > 0) label.append(' ');
    label.append(letter).append('=').append(text).append(' ').append(unit);
  }
}
