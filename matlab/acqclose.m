function acqclose(acq)
%ACQCLOSE  End the session of an acquisition. Does nothing when it has ended already.
%
%   See also ACQOPEN.
  try
    acqrequest(acq, 'DELETE', ['/api/v2/sessions/' acq.sessionId]);
  catch failure
    if ~strcmp(failure.identifier, 'acqstore:session_not_found'), rethrow(failure); end
  end
end
