import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { npmPackages } from '../src/install/downloads.ts'

let folder: string
let cache: string
/** A package that npm fetches without a registry. */
let tiny: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unikv-downloads-'))
  const source = join(folder, 'package')
  await mkdir(source)
  const scripts = { install: "node -e \"require('fs').writeFileSync('ran', '')\"" }
  await writeFile(join(source, 'package.json'), JSON.stringify({ name: 'tiny', version: '1.0.0', scripts }))
  await writeFile(join(source, 'index.js'), 'module.exports = 7\n')
  await promisify(execFile)('tar', ['-czf', 'tiny-1.0.0.tgz', 'package'], { cwd: folder })
  tiny = `file:${join(folder, 'tiny-1.0.0.tgz')}`
})
beforeEach(async () => {
  cache = await mkdtemp(join(folder, 'cache-'))
  vi.stubEnv('UNIKV_CACHE', cache)
})
afterEach(() => vi.unstubAllEnvs())
afterAll(() => rm(folder, { recursive: true }))

test('packages are fetched once, however often they are asked for, and others have a place of their own; no script of theirs runs', async () => {
  const places = await Promise.all([npmPackages([tiny]), npmPackages([tiny])])
  expect(new Set(places).size).toBe(1)
  const [place] = places
  expect(await readFile(join(place, 'node_modules/tiny/index.js'), 'utf8')).toContain('7')
  expect(await readdir(join(place, 'node_modules/tiny'))).not.toContain('ran')
  await writeFile(join(place, 'mark'), '')
  expect(await npmPackages([tiny])).toBe(place)
  expect(await readdir(place)).toContain('mark')
  expect(await readdir(cache)).toHaveLength(1)
  expect(await npmPackages([tiny, tiny])).not.toBe(place)
})

test('what cannot be fetched leaves nothing behind, and says what npm said', async () => {
  const missing = `file:${join(folder, 'missing-1.0.0.tgz')}`
  await expect(npmPackages([missing])).rejects.toThrow(
    /npm could not fetch file:.*missing-1\.0\.0\.tgz:\n[^]*ENOENT/,
  )
  expect(await readdir(cache)).toEqual([])
})
