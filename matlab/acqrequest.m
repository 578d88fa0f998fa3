function [answer, headers] = acqrequest(server, method, path, body)
%ACQREQUEST  Send a request to Acquisition Store Server.
%   answer = ACQREQUEST(acq, method, path) returns a struct for JSON, and uint8 for samples. acq is what ACQOPEN
%   returned, or a struct with the fields url and token.
%   answer = ACQREQUEST(acq, method, path, body) sends a struct as JSON.
%   [answer, headers] = ... also returns the headers that start with x-, such as headers.x_array_shape.
%   Errors have the identifier acqstore:CODE, and the message of the server.
%
%   Example: statistics of channel 0
%     s = acqrequest(acq, 'GET', ['/api/v2/sessions/' acq.sessionId '/channels/0/statistics']);
  json = '';
  if nargin > 3, json = jsonencode(body); end
  isSession = isfield(server, 'sessionId') && ~isempty(strfind(path, server.sessionId));
  place = path;
  if isSession
    session = acqsession(server.sessionId);
    if isempty(session), error('acqstore:session_not_found', '%s was closed.', server.source.name); end
    place = strrep(path, server.sessionId, session);
  end
  [answer, headers, refusal] = ask(server, method, place, json);
  if isSession && isfield(refusal, 'error') && strcmp(refusal.error, 'session_not_found') && ~strcmp(method, 'DELETE')
    place = strrep(path, server.sessionId, open_again(server));
    [answer, headers, refusal] = ask(server, method, place, json);
  end
  if ~isempty(refusal), error(['acqstore:' refusal.error], '%s', refusal.message); end
end

function session = open_again(acq)
  [told, ~, refusal] = ask(acq, 'POST', '/api/v2/open', jsonencode(acq.request));
  if ~isempty(refusal), error(['acqstore:' refusal.error], '%s', refusal.message); end
  session = told.sessionId;
  if ~strcmp(told.source.revision, acq.source.revision)
    ask(acq, 'DELETE', ['/api/v2/sessions/' session], '');
    error('acqstore:source_changed', '%s has changed since it was opened. Open it again.', acq.source.name);
  end
  acqsession(acq.sessionId, session);
end

function [answer, headers, refusal] = ask(server, method, path, json)
  if exist('OCTAVE_VERSION', 'builtin')
    [status, type, bytes, headers] = ask_by_curl(server, method, path, json);
  else
    [status, type, bytes, headers] = ask_by_matlab(server, method, path, json);
  end
  isJson = ~isempty(strfind(type, 'json'));
  answer = bytes;
  refusal = [];
  if isJson, answer = jsondecode(native2unicode(bytes, 'UTF-8')); end
  if status < 300, return, end
  if ~isJson || ~isfield(answer, 'error')
    error('acqstore:not_this_server', '%s answered with status %d; it is not Acquisition Store Server.', server.url, status);
  end
  refusal = answer;
end

function [status, type, bytes, headers] = ask_by_matlab(server, method, path, json)
  fields = matlab.net.http.HeaderField('Accept', '*/*');
  if ~isempty(server.token), fields(end+1) = matlab.net.http.HeaderField('Authorization', ['Bearer ' server.token]); end
  request = matlab.net.http.RequestMessage(method, fields);
  if ~isempty(json)
    request.Header(end+1) = matlab.net.http.HeaderField('Content-Type', 'application/json');
    request.Body = matlab.net.http.MessageBody(); request.Body.Payload = unicode2native(json, 'UTF-8');
  end
  try
    reply = request.send([server.url path], matlab.net.http.HTTPOptions('ConnectTimeout', 10, 'ConvertResponse', false));
  catch failure
    no_server(server.url, failure.message);
  end
  status = double(reply.StatusCode);
  bytes = reply.Body.Data;
  if ~isa(bytes, 'uint8'), bytes = unicode2native(char(bytes), 'UTF-8'); end
  bytes = bytes(:)';
  type = ''; headers = struct();
  for field = reply.Header
    if strcmpi(field.Name, 'Content-Type'), type = char(field.Value); end
    if strncmpi(field.Name, 'x-', 2), headers.(strrep(lower(char(field.Name)), '-', '_')) = char(field.Value); end
  end
end

function [status, type, bytes, headers] = ask_by_curl(server, method, path, json)
% Octave itself can only send forms, and cannot send DELETE. curl is part of every current system.
  folder = tempname(); mask = umask(77); restore = onCleanup(@() umask(mask));
  mkdir(folder);  % for this user alone: the settings have the token
  clean = onCleanup(@() remove(folder));
  in = @(name) fullfile(folder, name);
  lines = {entry('url', [server.url path]), entry('request', method), entry('output', in('body')), ...
    entry('dump-header', in('headers')), entry('connect-timeout', '10'), entry('noproxy', 'localhost,127.0.0.1,::1')};
  if ~isempty(server.token), lines{end+1} = entry('header', ['Authorization: Bearer ' server.token]); end
  if ~isempty(json)
    write(in('json'), unicode2native(json, 'UTF-8'));
    lines = [lines {entry('header', 'Content-Type: application/json'), entry('data-binary', ['@' in('json')])}];
  end
  write(in('settings'), unicode2native(strjoin(lines, "\n"), 'UTF-8'));
  % The address and the token are in the settings, where no shell reads them.
  [failed, said] = system(['curl -q -sS -K "' in('settings') '" 2>&1']);
  if failed, no_server(server.url, strtrim(said)); end
  bytes = zeros(1, 0, 'uint8');
  if exist(in('body'), 'file'), bytes = read(in('body')); end
  [status, type, headers] = parse_head(char(read(in('headers'))));
end

function [status, type, headers] = parse_head(text)
  status = 0; type = ''; headers = struct();
  for line = strsplit(text, "\r\n")
    code = sscanf(line{1}, 'HTTP/%*s %d');
    if ~isempty(code), status = code(1); type = ''; headers = struct(); end
    pair = regexp(line{1}, '^([\w-]+):\s*(.*)$', 'tokens', 'once');
    if isempty(pair), continue, end
    name = lower(pair{1});
    if strcmp(name, 'content-type'), type = pair{2}; end
    if strncmp(name, 'x-', 2), headers.(strrep(name, '-', '_')) = pair{2}; end
  end
end

function no_server(url, why)
  error('acqstore:no_server', 'No server answers at %s (%s). Start it with acqserver, or with "acqstore serve" in a terminal, or check the address.', url, why);
end

function text = entry(name, value)
  text = [name ' = "' strrep(strrep(value, '\', '\\'), '"', '\"') '"'];
end

function write(file, bytes)
  f = fopen(file, 'w'); fwrite(f, bytes); fclose(f);
end

function bytes = read(file)
  f = fopen(file, 'r'); bytes = fread(f, [1 Inf], '*uint8'); fclose(f);
end

function remove(folder)
  for name = {'body', 'headers', 'json', 'settings'}
    file = fullfile(folder, name{1});
    if exist(file, 'file'), delete(file); end
  end
  rmdir(folder);
end
