function url = acqaddress(url)
% Returns the address of the server without a slash at its end: the given one, else ACQSTORE_URL, else the default.
  if nargin < 1 || isempty(url), url = getenv('ACQSTORE_URL'); end
  if isempty(url), url = 'http://127.0.0.1:8767'; end
  url = regexprep(char(url), '/+$', '');
end
