import { randomBytes } from 'node:crypto'
import { closeSync, mkdirSync, openSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readFile, readFileNow } from '../src/disk/read-file.ts'
import { directory } from './dataset-over.ts'

describe.each([
  ['with promises', readFile],
  ['at once', async (path: string, maxBytes?: number) => readFileNow(path, maxBytes)],
])('a file is read %s', (_, read) => {
  test.each([0, 1, 8_191, 8_192, 8_193, 16_384, 1_000_000])(
    'whole, and in its first bytes, at a length of %i',
    async (length) => {
      const content = randomBytes(length)
      const path = join(directory, 'file')
      writeFileSync(path, content)
      expect((await read(path)).equals(content)).toBe(true)
      for (const maxBytes of [1, 20, 8_192, 20_000])
        expect((await read(path, maxBytes)).equals(content.subarray(0, maxBytes))).toBe(true)
    },
  )

  test.each([
    ['missing', 'ENOENT'],
    ['link', 'ELOOP'],
    ['folder', 'EISDIR'],
  ])('and refused where it is none (%s), and nothing stays open', async (name, code) => {
    writeFileSync(join(directory, 'file'), 'content')
    symlinkSync(join(directory, 'file'), join(directory, 'link'))
    mkdirSync(join(directory, 'folder'))
    const before = nextDescriptor()
    await expect(read(join(directory, name))).rejects.toMatchObject({ code })
    expect(nextDescriptor()).toBe(before)
  })

  test('and refused where it is longer than any record, and nothing stays open', async () => {
    const path = join(directory, 'long')
    writeFileSync(path, '')
    truncateSync(path, 2 ** 40)
    const before = nextDescriptor()
    await expect(read(path)).rejects.toMatchObject({ code: 'CORRUPT' })
    expect(nextDescriptor()).toBe(before)
  })
})

/** The lowest that is free. */
function nextDescriptor(): number {
  const descriptor = openSync(directory, 'r')
  closeSync(descriptor)
  return descriptor
}
