import { open, readFile } from 'node:fs/promises'
import { type Bytes, StoreError } from '@unikv/core'
import { fastRandom, shuffledIndexes, subSeed } from '../random/random.ts'
import { formatSize } from '../sizes/size-list.ts'
import type { DataSource, SizePoint } from './data-source.ts'
import { type DataFile, listDataFiles } from './file-tree.ts'

/** The user's own files as data. */
export interface FilesSource extends DataSource {
  readonly kind: 'files'
  /** How many bytes all files hold together. */
  readonly totalBytes: number
  /**
   * Whole files as they are, in classes of like size (from 1, 2, 5, 10, … bytes upwards); the place of a class on
   * the size axis is the mean of its files.
   */
  wholeFiles(): SizePoint[]
}

/**
 * Objects cut from the user's files: all files are taken as one long text, in the order of their paths, and an
 * object of each size begins at a seeded offset. Nothing is padded or repeated within an object.
 *
 * @param paths directories, or single files
 * @throws {StoreError} `INVALID_ARGUMENT` if the data cannot be read
 */
export async function filesSource(paths: readonly string[], seed: number): Promise<FilesSource> {
  const files = await listDataFiles(paths)
  const starts: number[] = []
  let totalBytes = 0
  for (const { bytes } of files) {
    starts.push(totalBytes)
    totalBytes += bytes
  }
  const description = `${files.length} ${files.length === 1 ? 'file' : 'files'} of ${placesOf(paths)} (${formatSize(totalBytes)})`
  return {
    kind: 'files',
    description,
    totalBytes,
    objects: async (size, count) => {
      if (size > totalBytes) throw tooSmall(size, totalBytes)
      const random = fastRandom(subSeed(seed, 'offsets', size))
      const cut: Bytes[] = []
      while (cut.length < count)
        cut.push(await read(files, starts, Math.floor(random.next() * (totalBytes - size + 1)), size))
      return cut
    },
    wholeFiles: () => classes(files).map((members) => classPoint(members, seed)),
  }
}

/** Bytes of the concatenated files from an offset on. */
async function read(
  files: readonly DataFile[],
  starts: readonly number[],
  offset: number,
  size: number,
): Promise<Bytes> {
  const bytes = Buffer.allocUnsafeSlow(size)
  let filled = 0
  for (let index = fileAt(starts, offset); filled < size; index++) {
    const file = files[index] as DataFile
    const position = offset + filled - (starts[index] as number)
    const wanted = Math.min(size - filled, file.bytes - position)
    const handle = await open(file.path)
    try {
      const { bytesRead } = await handle.read(bytes, filled, wanted, position)
      if (bytesRead < wanted)
        throw new StoreError('INVALID_ARGUMENT', `${file.path} became shorter while it was read.`)
    } finally {
      await handle.close()
    }
    filled += wanted
  }
  return bytes
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

/** Files between two neighbours of 1, 2, 5, 10, … bytes. */
function classes(files: readonly DataFile[]): DataFile[][] {
  const found = new Map<number, DataFile[]>()
  for (const file of files) {
    const decade = 10 ** Math.floor(Math.log10(file.bytes) + 1e-12)
    const step = [5, 2, 1].find((multiple) => file.bytes >= multiple * decade) ?? 1
    const members = found.get(step * decade) ?? []
    members.push(file)
    found.set(step * decade, members)
  }
  return [...found].sort(([a], [b]) => a - b).map(([, members]) => members)
}

function classPoint(members: readonly DataFile[], seed: number): SizePoint {
  const sizes = members.map((file) => file.bytes)
  const size = Math.round(sizes.reduce((sum, bytes) => sum + bytes, 0) / sizes.length)
  return {
    size,
    range: [Math.min(...sizes), Math.max(...sizes)],
    available: members.length,
    objects: async (count) => {
      const order = shuffledIndexes(members.length, fastRandom(subSeed(seed, 'files', size)))
      const chosen = [...order.subarray(0, count)].map((index) => members[index] as DataFile)
      return Promise.all(chosen.map((file) => readFile(file.path)))
    },
  }
}

/** The first places by name, so that the line stays one. */
function placesOf(paths: readonly string[]): string {
  const others = paths.length - 3
  return others <= 0 ? paths.join(', ') : `${paths.slice(0, 3).join(', ')} and ${others} more places`
}

function tooSmall(size: number, totalBytes: number): StoreError {
  return new StoreError(
    'INVALID_ARGUMENT',
    `The data holds ${totalBytes} bytes, too few for objects of ${size} bytes. Give more data or smaller sizes: nothing is padded.`,
  )
}
