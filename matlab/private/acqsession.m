function id = acqsession(first, id)
% Returns the session that an acquisition has now, or sets it. A session that has ended is opened again under another id,
% which the struct of the caller cannot know. Empty for an acquisition that was closed.
  persistent sessions
  if isempty(sessions), sessions = containers.Map(); end
  if nargin > 1, sessions(first) = id; return, end
  id = first;
  if isKey(sessions, first), id = sessions(first); end
end
