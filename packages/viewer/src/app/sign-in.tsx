/** How to sign in on a server that requires it, who is signed in, and how to sign out. */
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { Icon } from '../icons/icon.tsx';
import { usePage } from './context.ts';
import { logIn } from './login-return.ts';
import { Menu } from './menu.tsx';
import { removeToken } from './token.ts';
import type { Workspace } from './workspace.ts';

/** Shown when a request was refused for lack of a token or login. */
export function SignInNotices() {
  const ways = usePage().workspace.server.signedIn.value?.signIn;
  if (ways === undefined) return null;
  return (
    <>
      {ways.includes('login') && <LoginNotice />}
      {(ways.includes('token') || ways.length === 0) && <TokenForm hasUsers={ways.length > 0} />}
    </>
  );
}

/** The proxy in front of the server shows its login when the page is loaded, not when the page asks for data. */
function LoginNotice() {
  return (
    <div class="app-notice" role="alert">
      <p>
        You are not logged in, or your login has ended. <strong>Log in to go on.</strong>
      </p>
      <button type="button" class="primary" onClick={logIn}>
        Log in
      </button>
    </div>
  );
}

function TokenForm({ hasUsers }: { readonly hasUsers: boolean }) {
  const { workspace } = usePage();
  const input = useRef<HTMLInputElement>(null);
  const waiting = useSignal(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    const token = input.current?.value.trim() ?? '';
    if (token === '') return;
    waiting.value = true;
    await workspace.enterToken(token);
    waiting.value = false;
  };
  return (
    <form class="app-notice app-token" onSubmit={(event) => void submit(event)}>
      <label>
        {hasUsers
          ? 'Sign in with your token, which the operator of this server gave you:'
          : 'This server requires a token, which it printed when it started:'}{' '}
        <input ref={input} type="password" name="token" autocomplete="off" spellcheck={false} required />
      </label>
      <button type="submit" class="primary" disabled={waiting.value}>
        {hasUsers ? 'Sign in' : 'Use token'}
      </button>
    </form>
  );
}

/** Shows nothing on a server without users. */
export function UserMenu() {
  const { workspace } = usePage();
  const signedIn = workspace.server.signedIn.value;
  if (!signedIn?.user || workspace.server.tokenRequired.value) return null;
  const { user, signOutUrl } = signedIn;
  const isToken = user.signedInBy === 'token';
  return (
    <Menu label={user.name} icon={<Icon name="user" />}>
      {() => (
        <div class="app-user">
          <p>
            Signed in as <strong>{user.name}</strong>
            {isToken ? ' with a token.' : '.'}
          </p>
          {(isToken || signOutUrl !== null) && (
            <button type="button" onClick={() => void signOut(workspace, isToken ? null : signOutUrl)}>
              Sign out
            </button>
          )}
        </div>
      )}
    </Menu>
  );
}

/** Ends what is open and forgets the token and the names of files, for the next person at this computer. */
async function signOut({ server, recents }: Workspace, url: string | null): Promise<void> {
  recents.value = [];
  await server.client.closeAll();
  removeToken();
  if (url === null) location.replace(location.pathname);
  else location.assign(url);
}
