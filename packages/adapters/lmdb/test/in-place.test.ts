import { existsSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keyValue, text } from '@unikv/core'
import { lmdb } from '@unikv/lmdb'
import { afterAll, describe, expect, test } from 'vitest'
import { awaitRest } from '../src/environment/writing.ts'

const folder = mkdtempSync(join(tmpdir(), 'unikv-lmdb-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const spoilings: Record<string, (path: string) => void> = {
  'whose data file was removed': (path) => rmSync(join(path, 'data.mdb')),
  'whose data file was replaced': (path) => {
    renameSync(join(path, 'data.mdb'), join(path, 'data.old'))
    writeFileSync(join(path, 'data.mdb'), '')
  },
  'whose lock file was removed': (path) => rmSync(join(path, 'lock.mdb')),
  'that was moved': (path) => renameSync(path, `${path}-moved`),
}

describe.runIf(process.platform !== 'win32')('an environment', () => {
  let paths = 0
  for (const sync of [false, true])
    test.each(Object.entries(spoilings))(`%s acknowledges no write (sync: ${sync})`, async (_, spoil) => {
      const path = join(folder, `${++paths}`)
      const kv = keyValue(lmdb({ path, sync }), [text()])
      await kv.set('a', '1')
      spoil(path)
      const before = existsSync(join(path, 'data.mdb'))
      const gone = { code: 'NOT_PREPARED' }
      await expect(kv.set('b', '2')).rejects.toMatchObject(gone)
      await expect(kv.delete('a')).rejects.toMatchObject(gone)
      await expect(kv.set('a', '2', { ifVersion: null })).rejects.toMatchObject(gone)
      await expect(kv.setMany([['b', '2']])).rejects.toMatchObject(gone)
      expect(await kv.get('a')).toBe('1')
      expect(existsSync(join(path, 'data.mdb'))).toBe(before)
      await kv.close()
    })
})

test('who opens waits for a writer whose time stamps are whole seconds', () => {
  const data = join(folder, 'coarse.mdb')
  const mark = `${data}-writing-1`
  writeFileSync(mark, '')
  let now = Date.now()
  while (now % 1_000 < 550 || now % 1_000 > 750) now = Date.now()
  const second = Math.floor(now / 1_000)
  utimesSync(mark, second, second)
  let waits = 0
  awaitRest(data, () => {
    waits++
    utimesSync(mark, 1, 1)
  })
  expect(waits).toBe(1)
})
