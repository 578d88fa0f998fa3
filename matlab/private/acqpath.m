function path = acqpath(path, url)
% Returns the absolute path of a file of this computer. To a server elsewhere, paths mean something else.
  path = char(path);
  if isempty(regexp(url, '^https?://(127\.0\.0\.1|localhost|\[::1\])(:|/|$)', 'once')), return, end
  if strncmp(path, '~/', 2) || strcmp(path, '~')
    home = getenv('HOME');
    if ispc, home = getenv('USERPROFILE'); end
    path = [home path(2:end)];
  end
  if isempty(regexp(path, '^([A-Za-z]:)?[\\/]', 'once')), path = fullfile(pwd, path); end
end
