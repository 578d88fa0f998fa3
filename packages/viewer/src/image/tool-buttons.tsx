import { useSignal } from '@preact/signals';
import { Icon } from '../icons/icon.tsx';
import type { IconName } from '../icons/lucide.ts';
import type { Pane } from '../model/document.ts';
import type { Tool } from '../model/extension.ts';
import { chooseTool } from './actions.ts';
import { BASE_TOOLS } from './commands.ts';
import { MenuItem, ToolMenu } from './tool-menu.tsx';

type AnyTool = Pick<Tool, 'id' | 'label' | 'key' | 'icon'> & Partial<Pick<Tool, 'hint' | 'group'>>;

/** The tools: a button for each, or one for those that draw similar shapes, with an arrow for the others. */
export function ToolButtons({ pane, tools }: { readonly pane: Pane; readonly tools: readonly Tool[] }) {
  const groups = new Map<string, AnyTool[]>();
  for (const tool of [...BASE_TOOLS, ...tools] as readonly AnyTool[]) {
    const group = tool.group ?? tool.id;
    groups.set(group, [...(groups.get(group) ?? []), tool]);
  }
  return (
    <fieldset class="image-toolbar-group image-toolbar-tools" aria-label="Tools">
      {[...groups].map(([name, members]) => (
        <ToolGroup key={name} name={name} pane={pane} members={members} />
      ))}
    </fieldset>
  );
}

interface ToolGroupProps {
  readonly name: string;
  readonly pane: Pane;
  readonly members: readonly AnyTool[];
}

function ToolGroup({ name, pane, members }: ToolGroupProps) {
  const used = useSignal(members[0]!.id);
  const chosen = members.find(({ id }) => id === pane.tool.value);
  if (chosen) used.value = chosen.id;
  const shown = members.find(({ id }) => id === used.value) ?? members[0]!;
  return (
    <>
      <IconButton
        label={shown.label}
        hint={shown.hint}
        keys={shown.key.toUpperCase()}
        icon={shown.icon}
        pressed={chosen !== undefined}
        act={() => chooseTool(pane, shown.id)}
      />
      {members.length > 1 && (
        <ToolMenu label={`Shapes: ${name}`} title={`Other shapes of a ${name}`} face={<Icon name="down" />} isArrow>
          {(leave) =>
            members.map(({ id, label, key, icon, hint }) => (
              <MenuItem
                key={id}
                role="menuitemradio"
                label={label}
                keys={key.toUpperCase()}
                title={hint}
                checked={id === shown.id}
                face={<Icon name={icon} />}
                act={() => {
                  chooseTool(pane, id);
                  leave();
                }}
              />
            ))
          }
        </ToolMenu>
      )}
    </>
  );
}

interface IconButtonProps {
  readonly hint?: string | undefined;
  readonly label: string;
  /** The key that does the same, where there is one. */
  readonly keys?: string;
  readonly icon: IconName;
  /** False for a button whose icon says enough. */
  readonly hasWord?: boolean;
  readonly pressed?: boolean;
  readonly disabled?: boolean;
  act(): void;
}

/** A button of the toolbar: its word stands beside the icon where there is room, and what it does and its key in the tooltip. */
export function IconButton({
  label,
  hint,
  keys,
  icon,
  pressed,
  disabled = false,
  hasWord = true,
  act,
}: IconButtonProps) {
  return (
    <button
      type="button"
      class="image-tool"
      aria-label={label}
      title={`${hint === undefined ? label : `${label}: ${hint}`}${keys === undefined ? '' : ` (${keys})`}`}
      aria-keyshortcuts={keys?.replace('−', '-')}
      aria-pressed={pressed}
      // A disabled button would lose the focus when it is pressed.
      aria-disabled={disabled}
      onClick={() => {
        if (!disabled) act();
      }}
    >
      <Icon name={icon} />
      {hasWord && (
        <span class="image-tool-word" aria-hidden="true">
          {label}
        </span>
      )}
    </button>
  );
}
