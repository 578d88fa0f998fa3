function acqclose(acq)
%ACQCLOSE  End the session of an acquisition. Does nothing when it has ended already.
%
%   See also ACQOPEN.
  session = acqsession(acq.sessionId);
  if isempty(session), return, end
  acqsession(acq.sessionId, '');
  try
    acqrequest(acq, 'DELETE', ['/api/v2/sessions/' session]);
  catch failure
    if ~strcmp(failure.identifier, 'acqstore:session_not_found'), rethrow(failure); end
  end
end
