import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { opening } from '@unikv/conformance'
import { keyValue } from '@unikv/core'
import { describe, expect, test } from 'vitest'
import { type FileOptions, file } from '../src/index.ts'

const directory = 'a'
const refused: readonly (readonly [string, object])[] = [
  ['an empty directory', { directory: '' }],
  ['a directory with NUL', { directory: 'a\0b' }],
  ['a directory that is no text', { directory: 1 }],
  ['an empty dataset', { directory, dataset: '' }],
  ['a dataset that leaves its place', { directory, dataset: '../up' }],
  ['an upper-case dataset', { directory, dataset: 'Upper' }],
  ['a dataset of 49 characters', { directory, dataset: 'x'.repeat(49) }],
  ['a durability that is none', { directory, durability: 'forever' }],
  ['nothing in flight', { directory, maxInFlight: 0 }],
]

const fresh = (): FileOptions => ({
  directory: mkdtempSync(join(tmpdir(), 'unikv-opening-')),
  durability: 'buffered',
})
const missing = (): FileOptions => ({ ...fresh(), prepare: false })
const onCall = (options: FileOptions): FileOptions => ({ ...options, prepare: true })

opening<FileOptions>({
  test,
  describe,
  make: (options) => file(options),
  refused,
  fresh,
  discard: (options) => rmSync(options.directory, { recursive: true }),
  preparing: {
    missing,
    onCall,
    prepare: async (options) => {
      await using kv = keyValue(file(onCall(options)), [], { timeoutMs: 60_000 })
      await kv.set('first', Buffer.from('write'))
    },
    remove: (options) => rmSync(join(options.directory, 'unikv'), { recursive: true }),
  },
  foreign: [
    [
      'a folder of others',
      () => {
        const options = missing()
        const folder = join(options.directory, 'unikv')
        mkdirSync(folder)
        writeFileSync(join(folder, 'letter.txt'), 'dear')
        return {
          options,
          intact: () => {
            expect(readdirSync(folder)).toEqual(['letter.txt'])
            expect(existsSync(join(options.directory, 'unikv.json'))).toBe(false)
            rmSync(options.directory, { recursive: true })
          },
        }
      },
    ],
  ],
  module: { url: new URL('../dist/index.js', import.meta.url), make: 'file' },
})
