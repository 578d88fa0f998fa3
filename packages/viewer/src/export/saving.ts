/** Saves a file that a button makes, and says why it could not. */
import { useSignal } from '@preact/signals';
import { chooseDestination } from './save.ts';

export function useSaving() {
  const said = useSignal('');
  /** Makes the file once the user has chosen where it goes. */
  const save = async (name: string, make: () => Blob | Promise<Blob>) => {
    said.value = '';
    try {
      const destination = await chooseDestination(name);
      await destination?.write(await make());
    } catch (error) {
      said.value = `Not saved: ${(error as Error).message}`;
    }
  };
  return { said, save };
}
