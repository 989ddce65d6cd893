import { lstat, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { StoreError } from '@unikv/core'
import { printable } from './printable.ts'
import { readable } from './readable.ts'

/** A file of the user's data. */
export interface DataFile {
  readonly path: string
  readonly bytes: number
}

/**
 * Every non-empty regular file below these directories (or the files themselves), in the order of their paths.
 * Links are not followed; hidden entries and `node_modules` are passed over.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` naming what cannot be read, or if there is nothing
 */
export async function listDataFiles(paths: readonly string[]): Promise<DataFile[]> {
  const files: DataFile[] = []
  for (const path of paths) await readable(path, () => collect(path, files))
  if (files.length === 0)
    throw new StoreError(
      'INVALID_ARGUMENT',
      `There is no data in ${paths.map(printable).join(', ')}: every file is empty.`,
    )
  return files
}

async function collect(root: string, files: DataFile[]): Promise<void> {
  const found = await stat(root)
  if (found.isDirectory()) await walk(root, files)
  else if (!found.isFile())
    throw new StoreError(
      'INVALID_ARGUMENT',
      `${printable(root)} is neither a file nor a directory, such as the output of a command: write it to a file first.`,
    )
  else if (found.size > 0) files.push({ path: root, bytes: found.size })
}

async function walk(directory: string, files: DataFile[]): Promise<void> {
  const entries = await readdir(directory, { withFileTypes: true })
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue
    const path = join(directory, entry.name)
    if (entry.isDirectory()) await walk(path, files)
    else if (entry.isFile()) {
      const { size } = await lstat(path)
      if (size > 0) files.push({ path, bytes: size })
    }
  }
}
