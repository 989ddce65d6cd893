import type { Awaitable } from '@unikv/core'

/**
 * The part of a file system that the store needs, as it is: one call each (to read, which changes nothing, the few that it
 * takes), errors with the `code` of `node:fs`.
 * `node:fs` comes in two forms, with and without promises; a modelled one stands in for it where power is cut
 * at every single call.
 */
export interface FileSystem {
  /** Whether a call holds up the thread until it is done. */
  readonly blocks: boolean
  /** The content of a file, or its first bytes; a symbolic link is refused. */
  read(path: string, maxBytes?: number): Awaitable<Buffer>
  /** A descriptor. Flags of `fs.constants`. */
  open(path: string, flags: number): Awaitable<number>
  /** Append; how many bytes were taken. */
  write(descriptor: number, bytes: Uint8Array): Awaitable<number>
  /** Force what was written to the file, or the entries of the folder, to the disk. */
  flush(descriptor: number): Awaitable<void>
  close(descriptor: number): Awaitable<void>
  /** About a name; a symbolic link is not followed. */
  look(path: string): Awaitable<FileLook>
  list(folder: string): Awaitable<readonly string[]>
  makeFolder(path: string): Awaitable<void>
  removeFolder(path: string): Awaitable<void>
  /** A second name for a file; `EEXIST` if the name is taken. */
  link(path: string, name: string): Awaitable<void>
  /** Give a file another name, in place of the file that has it. */
  rename(path: string, name: string): Awaitable<void>
  remove(path: string): Awaitable<void>
  /** Set the times of a file to now. */
  touch(path: string): Awaitable<void>
  /** Do nothing for a while. */
  pause(ms: number): Awaitable<void>
}

/** The object behind a name. */
export interface FileLook {
  readonly kind: 'file' | 'folder' | 'other'
  /** The same for all names of one file. */
  readonly id: string
  /** When its content last changed, in nanoseconds since the epoch. */
  readonly modifiedNs: bigint
  /** When anything about it last changed, its number of names included, in milliseconds since the epoch. */
  readonly changedAt: number
}

/** The code of an error of the file system. */
export function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | undefined)?.code
  return typeof code === 'string' ? code : undefined
}
