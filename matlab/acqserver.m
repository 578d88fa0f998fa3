function url = acqserver(action)
%ACQSERVER  Start a server on this computer, or stop it.
%   url = ACQSERVER() returns the address of the server, ACQSTORE_URL or http://127.0.0.1:8767, after starting it there
%   when none answers. It runs until ACQSERVER('stop'), also after this program has ended.
%   ACQSERVER('stop') stops it.
%   The command is acqstore, from the PATH, or that of ACQSTORE_COMMAND, such as 'npx acqstore'.
%
%   See also ACQOPEN.
  url = acqaddress();
  command = getenv('ACQSTORE_COMMAND');
  if isempty(command), command = 'acqstore'; end
  parts = regexp(url, '^http://(127\.0\.0\.1|localhost):(\d+)$', 'tokens', 'once');
  if isempty(parts)
    error('acqstore:usage', 'A server is started on this computer alone; ACQSTORE_URL is %s.', url);
  end
  if nargin > 0
    if ~strcmp(action, 'stop'), error('acqstore:usage', '"%s" is not an action; expected ''stop''.', char(action)); end
    [failed, said] = system(sprintf('%s stop --port %s 2>&1', command, parts{2}));
    if failed, error('acqstore:no_server', '%s', strtrim(said)); end
    return
  end
  if answers(url), return, end
  start(sprintf('%s serve --port %s', command, parts{2}));
  for k = 1:300
    if answers(url), return, end
    pause(0.1);
  end
  error('acqstore:no_server', '"%s serve" did not start within 30 seconds. Run it in a terminal to see why.', command);
end

function start(command)
  if ispc
    system(sprintf('start "acqstore" /b %s >NUL 2>&1', command));
  else
    % Apart from the group of this program, which Ctrl-C would end together with the server. macOS has no setsid.
    apart = 'nohup';
    if ~ismac, apart = 'setsid'; end
    system(sprintf('%s %s </dev/null >/dev/null 2>&1 & true', apart, command));
  end
end

function is = answers(url)
  is = true;
  try
    acqrequest(struct('url', url, 'token', getenv('ACQSTORE_TOKEN')), 'GET', '/api/v2/health');
  catch failure
    if ~strcmp(failure.identifier, 'acqstore:no_server'), rethrow(failure); end
    is = false;
  end
end
