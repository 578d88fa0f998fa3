/** A page that follows a recording, and the recordings that it follows. */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { expect } from 'vitest';
import type { OpenResponse } from '../../packages/client/src/contract/open.js';
import { scanimageMovie } from '../writers/growing.js';
import { CardImage, colorOf, type Display, STORED, steady } from './viewer-image.js';
import type { ViewerPage } from './viewer-page.js';

/** On a loaded machine. */
export const SLOW = { timeout: 20_000 };

const MOVIE = { width: 24, height: 16 };

/** A bar that moves to the right with each frame, on a ramp that is the same in all of them. */
function frameValue(frame: number, channel: number, row: number, column: number): number {
  const ramp = 10 * row + 5 * column;
  return column === frame % MOVIE.width ? 900 + ramp : ramp + 100 * channel;
}

/** Returns a file of two channels with so many frames. */
export function movie(frames: number, size = MOVIE): Uint8Array {
  return scanimageMovie({ ...size, frames, channels: 2, value: frameValue });
}

export function newFolder(root: string): string {
  return mkdtempSync(join(root, 'recording-'));
}

export class LivePage {
  readonly viewer: ViewerPage;
  /** All that the page has opened. */
  private readonly sessions: string[] = [];

  constructor(viewer: ViewerPage) {
    this.viewer = viewer;
    viewer.page.on('response', async (response) => {
      if (!response.url().endsWith('/api/v2/open') || response.status() !== 200) return;
      this.sessions.push(((await response.json()) as OpenResponse).sessionId);
    });
  }

  get badge(): Locator {
    return this.viewer.page.locator('.live-badge');
  }

  get notices(): Locator {
    return this.viewer.page.locator('.app-notice');
  }

  get slider(): Locator {
    return this.viewer.page.getByRole('slider', { name: 'Time point, slider' });
  }

  get button(): Locator {
    return this.viewer.page.getByRole('button', { name: 'Follow', exact: true });
  }

  /** Until the badge has these words. */
  async says(words: string): Promise<void> {
    await expect.poll(() => this.badge.textContent(), SLOW).toBe(words);
  }

  async follow(): Promise<void> {
    await this.button.click();
    await this.says('live');
  }

  /** Opens a file with an image for each channel. */
  async open(path: string): Promise<OpenResponse> {
    const info = await this.viewer.openPath(path);
    await this.viewer.asStored();
    await steady(this.viewer.page);
    return info;
  }

  /** Until the slider is at a time point, counted from 1. */
  async reaches(at: number, of: number): Promise<void> {
    const text = () => this.slider.getAttribute('aria-valuetext');
    await expect.poll(text, SLOW).toMatch(new RegExp(`^${at} of ${of}( |$)`));
  }

  /** Until the first channel shows a frame of a movie. */
  async showsFrame(frame: number, info: OpenResponse, display: Display): Promise<void> {
    const column = frame % MOVIE.width;
    const other = (column + 12) % MOVIE.width;
    const card = new CardImage(this.viewer.page, 'Source', '0', info.plane, STORED);
    const wanted = [column, other].map((at) => colorOf(frameValue(frame, 0, 4, at), display));
    const shown = () => Promise.all([column, other].map((at) => card.color(4.5, at + 0.5)));
    await expect.poll(shown, SLOW).toEqual(wanted);
  }

  /** Until the server has so many of the sessions that the page has opened. */
  async leavesSessions(count: number): Promise<void> {
    const alive = async () => {
      const answers = await Promise.all(this.sessions.map((id) => fetch(`${this.viewer.url}/api/v2/sessions/${id}`)));
      return answers.filter(({ status }) => status === 200).length;
    };
    await expect.poll(alive, SLOW).toBe(count);
  }
}
