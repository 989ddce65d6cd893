import { lstat, open, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Bytes } from '@unikv/core'
import { invalidArgument } from '../options/invalid.ts'
import { printable, readable } from './user-files.ts'

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
    throw invalidArgument(`There is no data in ${paths.map(printable).join(', ')}: every file is empty.`)
  return files
}

async function collect(root: string, files: DataFile[]): Promise<void> {
  const found = await stat(root)
  if (found.isDirectory()) await walk(root, files)
  else if (!found.isFile())
    throw invalidArgument(
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

/** Many files as one long text, in their order. */
export interface Concatenation {
  /** The files, as long as they were found. */
  readonly files: readonly DataFile[]
  /** Where each file begins. */
  readonly starts: readonly number[]
  readonly totalBytes: number
  /** Bytes of its own, also across files. */
  read(offset: number, size: number): Promise<Bytes>
}

/** Data up to here is read once and kept, so that it stays the same throughout a run even if it is edited meanwhile. */
const keptBytes = 64e6

/** Put files together: in memory if they are small enough, else by reading parts of them when asked. */
export async function concatenation(files: readonly DataFile[]): Promise<Concatenation> {
  const listed = files.reduce((sum, { bytes }) => sum + bytes, 0)
  if (listed > keptBytes) return { ...placed(files), read: fromFiles(placed(files)) }
  const contents: Buffer[] = []
  for (const { path } of files) contents.push(await readable(path, () => readFile(path)))
  const found = files.map(({ path }, index) => ({ path, bytes: (contents[index] as Buffer).length }))
  const all = Buffer.concat(contents)
  return { ...placed(found), read: async (offset, size) => Buffer.from(all.subarray(offset, offset + size)) }
}

type Placed = Omit<Concatenation, 'read'>

function placed(files: readonly DataFile[]): Placed {
  const starts: number[] = []
  let totalBytes = 0
  for (const { bytes } of files) {
    starts.push(totalBytes)
    totalBytes += bytes
  }
  return { files, starts, totalBytes }
}

function fromFiles({ files, starts }: Placed): Concatenation['read'] {
  return async (offset, size) => {
    const bytes = Buffer.allocUnsafeSlow(size)
    let filled = 0
    for (let index = fileAt(starts, offset); filled < size; index++) {
      const file = files[index] as DataFile
      const position = offset + filled - (starts[index] as number)
      const wanted = Math.min(size - filled, file.bytes - position)
      const part = bytes.subarray(filled, filled + wanted)
      await readable(file.path, () => readPart(file, part, position))
      filled += wanted
    }
    return bytes
  }
}

async function readPart({ path }: DataFile, into: Buffer, position: number): Promise<void> {
  const handle = await open(path)
  try {
    const { bytesRead } = await handle.read(into, 0, into.length, position)
    if (bytesRead === into.length) return
    throw invalidArgument(`${printable(path)} was truncated while it was being read.`)
  } finally {
    await handle.close()
  }
}

/** Index of the last file that starts at or before the offset. */
function fileAt(starts: readonly number[], offset: number): number {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((starts[middle] as number) <= offset) low = middle
    else high = middle - 1
  }
  return low
}
