package acqstore.imagej;

import ij.IJ;
import ij.ImagePlus;
import ij.Macro;
import ij.Prefs;
import ij.gui.GenericDialog;
import ij.plugin.PlugIn;
import ij.plugin.frame.Recorder;
import java.io.IOException;
import java.util.List;

/** File > Import > Acquisition Store... */
public final class OpenCommand implements PlugIn {
  private static final String TITLE = "Acquisition Store";
  private static final String LAST_PATH = "acquisition-store.path";

  private String path;
  private boolean wantsReference;
  /** Scene that a macro names; null to ask. */
  private Integer scene;

  /** @param arg a path to open without asking, or empty */
  @Override
  public void run(String arg) {
    try {
      if (!choose(arg)) return;
      IJ.showStatus("Opening " + path);
      Session session = Session.open(Address.parse(path));
      try {
        session = inScene(session);
        if (session != null) show(session);
      } catch (IOException | RuntimeException error) {
        session.close();
        throw error;
      }
    } catch (IOException error) {
      IJ.error(TITLE, error.getMessage());
    } finally {
      IJ.showStatus("");
    }
  }

  /** Takes the options of the macro, or asks. Returns false when the dialog was canceled. */
  private boolean choose(String arg) throws AcquisitionException {
    String options = Macro.getOptions();
    if (options != null) {
      path = Macro.getValue(options, "path", arg);
      wantsReference = (" " + options + " ").contains(" reference ");
      scene = parseScene(Macro.getValue(options, "scene", ""));
      return true;
    }
    if (!arg.isEmpty()) {
      path = arg;
      return true;
    }
    GenericDialog dialog = new GenericDialog(TITLE);
    dialog.addMessage("File, or address of a session, its OME-Zarr or the viewer. Drop either on the field.");
    dialog.addFileField("Path", Prefs.get(LAST_PATH, ""), 50);
    dialog.addCheckbox("Reference image of a line scan", false);
    dialog.showDialog();
    if (dialog.wasCanceled()) return false;
    path = dialog.getNextString().trim();
    wantsReference = dialog.getNextBoolean();
    // An address may have a token.
    if (!path.contains("#token=") && !path.contains("&token=")) Prefs.set(LAST_PATH, path);
    return true;
  }

  private static Integer parseScene(String text) throws AcquisitionException {
    if (text.isEmpty()) return null;
    if (text.matches("\\d{1,9}")) return Integer.valueOf(text);
    throw new AcquisitionException("request_validation_failed", "scene is a number, counted from 0, not " + text);
  }

  /** Returns the session of the chosen scene; null when the dialog was canceled. */
  private Session inScene(Session session) throws IOException {
    List<Fields> scenes = session.info().object("source").objects("scenes");
    if (scene == null && scenes.size() > 1 && Macro.getOptions() == null && !IJ.isMacro()) {
      scene = ask(scenes, session.sceneIndex());
      if (scene == null) {
        session.close();
        return null;
      }
    }
    return scene == null ? session : session.openScene(scene);
  }

  private static Integer ask(List<Fields> scenes, int current) {
    String[] names = new String[scenes.size()];
    for (int i = 0; i < names.length; i++) {
      Fields sizes = scenes.get(i).object("sizes");
      StringBuilder name = new StringBuilder(i + ": " + scenes.get(i).text("name"));
      name.append(" (").append(sizes.integer("X", 1)).append(" × ").append(sizes.integer("Y", 1));
      for (String axis : new String[] {"C", "Z", "T"}) {
        if (sizes.integer(axis, 1) > 1) name.append(", ").append(sizes.integer(axis, 1)).append(' ').append(axis);
      }
      names[i] = name.append(')').toString();
    }
    Recorder.suspendRecording();
    try {
      GenericDialog dialog = new GenericDialog(TITLE);
      dialog.addChoice("Scene", names, names[current]);
      dialog.showDialog();
      return dialog.wasCanceled() ? null : dialog.getNextChoiceIndex();
    } finally {
      Recorder.resumeRecording();
    }
  }

  private void show(Session session) throws IOException {
    if (Recorder.record && Macro.getOptions() == null) Recorder.recordOption("scene", String.valueOf(session.sceneIndex()));
    ImagePlus reference = wantsReference ? ReferenceImage.open(session) : null;
    if (wantsReference && reference == null) IJ.log(session.info().object("source").text("name") + ": no reference image");
    ImagePlus image = Images.open(session);
    if (reference != null) reference.show();
    image.show();
  }
}
