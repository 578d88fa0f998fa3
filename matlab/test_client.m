function test_client(folder, url)
%TEST_CLIENT  Tests the client in MATLAB or GNU Octave with a running server.
%   TEST_CLIENT(folder, url): folder has the files of the conformance kit of the server, and "Größe µm é.ome.tif",
%   a copy of frame.ome.tif. Prints how many checks have passed, or fails at the first one that does not hold.
  at = @(name) fullfile(folder, name);
  start = @(name, varargin) acqopen(at(name), 'url', url, varargin{:});
  checks = {@planes, @channels, @stack, @times, @parts, @reference, @metadata, @names, @sessions, @again, @types, @facts, @refusals};
  count = 0;
  for k = 1:numel(checks), count = count + checks{k}(start, at, url); end
  fprintf('%d checks passed\n', count);
end

function n = planes(start, ~, ~)
  acq = start('frame.ome.tif');
  p = acqread(acq, 'Vessel');
  assert(isequal(size(p), [7 5]) && isa(p, 'single'));
  assert(isequal(p, grid(7, 5, 20000)));
  assert(isequal(acqread(acq), grid(7, 5, 10000)));
  assert(isequal(acqread(acq, 1), p));
  acqclose(acq);
  acq = start('floats.ome.tif');
  assert(isequal(acqread(acq), single([0 -1.5 0.1; 16777216 -3.4e38 1e-30])));
  acqclose(acq);
  n = 5;
end

function n = channels(start, ~, ~)
  acq = start('frame.ome.tif', 'channels', 1);
  assert(numel(acq.channels) == 1 && acq.channels.index == 1);
  fails('channel_not_found', @() acqread(acq, 'Calcium'));
  fails('channel_not_found', @() acqread(acq, 0));
  acqclose(acq);
  acq = start('frame.ome.tif', 'channels', [1 0]);
  assert(isequal([acq.channels.index], [1 0]));
  acqclose(acq);
  n = 4;
end

function n = stack(start, ~, ~)
  plane = @(t, z) grid(4, 6, 1000 * (1 + 3 * t + z));
  acq = start('stack.ome.tif', 'selection', struct('T', 1, 'Z', 2));
  assert(acq.selection.T == 1 && isequal(acqread(acq), plane(1, 2)));
  assert(isequal(acqread(acq, 0, 'T', 0, 'Z', 1), plane(0, 1)));
  fails('selection_out_of_range', @() acqread(acq, 0, 'T', 2));
  all = acqreadall(acq);
  assert(isequal(size(all), [4 6 3 2]) && isequal(all(:, :, 3, 2), plane(1, 2)) && isequal(all(:, :, 1, 2), plane(1, 0)));
  acqclose(acq);
  acq = start('stack.ome.tif', 'projection', struct('Z', 'max'));
  assert(isequal(acqread(acq), plane(0, 2)));
  acqclose(acq);
  n = 5;
end

function n = times(start, ~, ~)
  acq = start('stack.ome.tif');
  [t, unit] = acqcoordinates(acq, 'T');
  assert(isequal(t, [0 7.5]) && strcmp(unit, 'seconds'));
  assert(isempty(acqcoordinates(acq, 'Z')));
  acqclose(acq);
  acq = start('stack.ome.tif', 'interpret', struct('axes', struct('T', 6)));
  assert(acq.header.sizes.T == 6 && isequal(acqread(acq, 0, 'T', 5), grid(4, 6, 6000)));
  acqclose(acq);
  n = 3;
end

function n = parts(start, ~, ~)
  acq = start('frame.ome.tif', 'decode', 'later');
  p = acqread(acq);
  assert(isequal(acqread(acq, 0, 'rows', [1 3], 'columns', [2 4]), p(2:3, 3:4)));
  assert(isequal(acqread(acq, 0, 'rows', [6 7]), p(7, :)));
  assert(isequal(acqread(acq, 0, 'every', [2 3]), p(1:2:end, 1:3:end)));
  fails('region_out_of_range', @() acqread(acq, 0, 'rows', [0 8]));
  fails('usage', @() acqread(acq, 0, 'lines', [0 8]));
  acqclose(acq);
  n = 5;
end

function n = reference(start, ~, ~)
  acq = start('scan.oif');
  assert(isequal(acqread(acq, 1), grid(6, 4, 200)));
  assert(isequal(acqreference(acq), grid(4, 4, 500)));
  assert(isequal(acq.reference.lineRoi(:)', [0 3 3 0]) && isequal(acq.reference.scanPath.y(:)', [3 1 0]));
  assert(abs(acq.plane.axes(1).step - 0.002) < 1e-9 && strcmp(acq.plane.axes(1).unit, 'seconds'));
  acqclose(acq);
  acq = start('frame.ome.tif');
  assert(isempty(acq.reference));
  fails('reference_channel_not_found', @() acqreference(acq));
  acqclose(acq);
  n = 6;
end

function n = metadata(start, ~, ~)
  acq = start('frame.ome.tif');
  assert(strcmp(acq.source.name, 'frame.ome.tif') && acq.header.sizes.C == 2);
  assert(abs(acq.plane.axes(2).step - 0.25) < 1e-9 && strcmp(acq.plane.axes(2).unit, 'micrometer'));
  assert(isequal({acq.channels.name}, {'Calcium', 'Vessel'}) && isempty(acq.warnings));
  s = acqrequest(acq, 'GET', ['/api/v2/sessions/' acq.sessionId '/channels/0/statistics']);
  assert(s.samples == 35 && s.min == 10000);
  acqclose(acq);
  acq = start('frame.ome.tif', 'calibration', struct('Y', struct('step', 0.5, 'unit', 'seconds')));
  assert(strcmp(acq.plane.axes(1).unit, 'seconds'));
  acqclose(acq);
  n = 5;
end

function n = names(start, ~, ~)
  acq = start('Größe µm é.ome.tif');
  assert(strcmp(acq.source.name, 'Größe µm é.ome.tif'));
  assert(isequal(acqread(acq), grid(7, 5, 10000)));
  acqclose(acq);
  failure = fails('path_not_found', @() start('fehlt é $(echo x) ".tif'));
  assert(~isempty(strfind(failure.message, 'é')));
  n = 4;
end

function n = sessions(start, ~, url)
  acq = start('frame.ome.tif', 'ttl', 60);
  status = acqrequest(acq, 'GET', ['/api/v2/sessions/' acq.sessionId]);
  assert(status.ttlSecondsRemaining <= 60);
  acqclose(acq);
  acqclose(acq);
  fails('session_not_found', @() acqread(acq));
  old = getenv('ACQSTORE_URL'); restore = onCleanup(@() setenv('ACQSTORE_URL', old));
  setenv('ACQSTORE_URL', [url '/']);
  acq = acqopen(acq.source.path);
  assert(strcmp(acq.url, url));
  acqclose(acq);
  n = 4;
end

function n = again(start, at, url)
  acq = start('frame.ome.tif', 'ttl', 60);
  p = acqread(acq, 1);
  acqrequest(struct('url', url, 'token', ''), 'DELETE', ['/api/v2/sessions/' acq.sessionId]);
  assert(isequal(acqread(acq, 1), p) && isequal(acqread(acq, 1), p));
  acqclose(acq);
  fails('session_not_found', @() acqread(acq));
  copy = at('changed.ome.tif');
  copyfile(at('frame.ome.tif'), copy);
  acq = acqopen(copy, 'url', url);
  acqrequest(struct('url', url, 'token', ''), 'DELETE', ['/api/v2/sessions/' acq.sessionId]);
  copyfile(at('stack.ome.tif'), copy);
  fails('source_changed', @() acqread(acq));
  before = cd(fileparts(copy)); restore = onCleanup(@() cd(before));
  acq = acqopen('frame.ome.tif', 'url', url);
  assert(isequal(acqread(acq, 1), p));
  acqclose(acq);
  n = 4;
end

function n = types(start, ~, ~)
  acq = start('stack.ome.tif');
  p = acqread(acq, 0, 'T', 1, 'Z', 2, 'type', 'native');
  assert(isa(p, 'uint16') && isequal(single(p), acqread(acq, 0, 'T', 1, 'Z', 2)));
  assert(isequal(acqread(acq, 0, 'T', 1, 'Z', 2, 'rows', [1 3], 'type', 'native'), p(2:3, :)));
  all = acqreadall(acq, 0, 'type', 'native');
  assert(isa(all, 'uint16') && isequal(size(all), [4 6 3 2]) && isequal(all(:, :, 3, 2), p));
  fails('usage', @() acqread(acq, 0, 'type', 'double'));
  acqclose(acq);
  acq = start('floats.ome.tif');
  assert(isa(acqread(acq, 0, 'type', 'native'), 'single'));
  acqclose(acq);
  n = 5;
end

function n = facts(start, ~, ~)
  acq = start('stack.ome.tif');
  planes = acqplanes(acq);
  assert(isequal(planes.T', [0 0 0 1 1 1]) && isequal(planes.Z', [0 1 2 0 1 2]) && all(planes.C == 0));
  entries = acqmetadata(acq);
  assert(size(entries, 2) == 2 && size(entries, 1) > 0 && ischar(entries{1, 1}) && ischar(entries{1, 2}));
  acqclose(acq);
  n = 2;
end

function n = refusals(start, at, ~)
  fails('unsupported_format', @() start('notes.txt'));
  fails('decode_failed', @() start('truncated.ome.tif'));
  fails('request_validation_failed', @() start('frame.ome.tif', 'decode', 'never'));
  fails('channel_out_of_range', @() start('frame.ome.tif', 'channels', 9));
  failure = fails('no_server', @() acqopen(at('frame.ome.tif'), 'url', 'http://127.0.0.1:9'));
  assert(~isempty(strfind(failure.message, 'http://127.0.0.1:9')));
  n = 6;
end

function failure = fails(code, call)
  failure = [];
  try
    call();
  catch failure
  end
  assert(~isempty(failure), 'no error; expected acqstore:%s', code);
  assert(strcmp(failure.identifier, ['acqstore:' code]), '%s: %s; expected %s', failure.identifier, failure.message, code);
end

function p = grid(rows, columns, base)
  [x, y] = meshgrid(0:columns-1, 0:rows-1);
  p = single(base + 100 * y + x);
end
