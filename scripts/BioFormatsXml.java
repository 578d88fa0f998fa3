import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import loci.common.services.ServiceFactory;
import loci.formats.ImageReader;
import loci.formats.meta.IMetadata;
import loci.formats.services.OMEXMLService;

/**
 * Prints the OME-XML that Bio-Formats makes of each file whose path is read from standard input: a line with the number of
 * bytes, then the text. A line "! why" for a file that it does not open.
 *
 * <p>java -cp bioformats_package.jar scripts/BioFormatsXml.java
 */
class BioFormatsXml {
  public static void main(String[] args) throws Exception {
    loci.common.DebugTools.setRootLevel("OFF");
    PrintStream out = System.out;
    // Native libraries of some formats print what they do.
    System.setOut(System.err);
    BufferedReader paths = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String path = paths.readLine(); path != null; path = paths.readLine()) {
      byte[] answer;
      try {
        answer = xml(path).getBytes(StandardCharsets.UTF_8);
      } catch (Throwable failed) {
        String why = String.valueOf(failed.getMessage()).replaceAll("\\s+", " ");
        out.println("! " + why);
        out.flush();
        continue;
      }
      out.println(answer.length);
      out.write(answer);
      out.flush();
    }
  }

  private static String xml(String path) throws Exception {
    OMEXMLService service = new ServiceFactory().getInstance(OMEXMLService.class);
    IMetadata metadata = service.createOMEXMLMetadata();
    try (ImageReader reader = new ImageReader()) {
      reader.setMetadataStore(metadata);
      reader.setGroupFiles(true);
      reader.setId(path);
      return service.getOMEXML(metadata);
    }
  }
}
