// Opens a microscope file in any ImageJ: acqstore exports it as OME-TIFF into a temporary folder, and ImageJ opens that.
// In Fiji, Bio-Formats (run("Bio-Formats Importer", ...)) also shows channels, sections and time points of such a file.
program = "acqstore";
path = getArgument();
if (path == "") path = File.openDialog("Open an acquisition");
folder = getDirectory("temp") + "acqstore-" + getTime() + File.separator;
File.makeDirectory(folder);
said = exec(program, "export", path, "--to", "ome-tiff", "--out", folder, "--quiet");
exported = getFileList(folder);
if (exported.length == 0) exit("acqstore cannot export " + path + "\n" + said);
open(folder + exported[0]);
