import type { Bytes } from '@unikv/core'
import { fastRandom, shuffledIndexes, subSeed } from '../random/random.ts'
import { type Concatenation, concatenation, listDataFiles } from './data-files.ts'
import { type FilesSource, type SizePoint, tooLittleData } from './data-source.ts'
import { aboutSize } from './size-list.ts'
import { printable } from './user-files.ts'

/**
 * Objects cut from the user's files: all files are taken as one long text, in the order of their paths, and an
 * object of each size begins at a seeded offset. Nothing is padded or repeated within an object.
 *
 * @param paths directories, or single files
 * @throws {StoreError} `INVALID_ARGUMENT` if the data cannot be read
 */
export async function filesSource(paths: readonly string[], seed: number): Promise<FilesSource> {
  const text = await concatenation(await listDataFiles(paths))
  const { files, totalBytes } = text
  const what = `${files.length} ${files.length === 1 ? 'file' : 'files'}`
  return {
    kind: 'files',
    description: `${what} of ${placesOf(paths)} (${aboutSize(totalBytes)})`,
    totalBytes,
    largestBytes: totalBytes,
    objects: async (size, count) => {
      if (size > totalBytes) throw tooLittleData(size, totalBytes)
      const random = fastRandom(subSeed(seed, 'offsets', size))
      const cut: Bytes[] = []
      while (cut.length < count)
        cut.push(await text.read(Math.floor(random.next() * (totalBytes - size + 1)), size))
      return cut
    },
    wholeFiles: () => classes(text).map((members) => classPoint(members, text, seed)),
  }
}

/** A file within the long text. */
interface Part {
  readonly start: number
  readonly bytes: number
}

/** Files between two neighbours of 1, 2, 5, 10, … bytes. */
function classes({ files, starts }: Concatenation): Part[][] {
  const found = new Map<number, Part[]>()
  for (const [index, { bytes }] of files.entries()) {
    if (bytes === 0) continue
    const decade = 10 ** Math.floor(Math.log10(bytes) + 1e-12)
    const step = [5, 2, 1].find((multiple) => bytes >= multiple * decade) ?? 1
    const members = found.get(step * decade) ?? []
    members.push({ start: starts[index] as number, bytes })
    found.set(step * decade, members)
  }
  return [...found].sort(([a], [b]) => a - b).map(([, members]) => members)
}

function classPoint(members: readonly Part[], text: Concatenation, seed: number): SizePoint {
  const sizes = members.map(({ bytes }) => bytes)
  const size = Math.round(sizes.reduce((sum, bytes) => sum + bytes, 0) / sizes.length)
  return {
    size,
    range: [Math.min(...sizes), Math.max(...sizes)],
    available: members.length,
    objects: async (count) => {
      const order = shuffledIndexes(members.length, fastRandom(subSeed(seed, 'files', size)))
      const chosen = [...order.subarray(0, count)].map((index) => members[index] as Part)
      return Promise.all(chosen.map(({ start, bytes }) => text.read(start, bytes)))
    },
  }
}

/** The first places by name, so that the line stays one. */
function placesOf(paths: readonly string[]): string {
  const others = paths.length - 3
  const shown = paths.slice(0, 3).map(printable).join(', ')
  return others <= 0 ? shown : `${shown} and ${others} more places`
}
