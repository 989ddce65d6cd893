import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { cannotLoad, requirePackage } from '../src/adapter/optional-package.ts'

let folder: string
let load: (name: string) => Promise<unknown>

/** Packages as they are found broken: one that throws, one that lacks what it needs, one without its files. */
const broken = {
  throws: "throw new Error('no binary for this platform')",
  needy: "module.exports = require('what-it-needs')",
  empty: undefined,
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unikv-optional-'))
  for (const [name, source] of Object.entries(broken)) {
    await mkdir(join(folder, 'node_modules', name), { recursive: true })
    await writeFile(join(folder, 'node_modules', name, 'package.json'), '{ "main": "main.js" }')
    if (source !== undefined) await writeFile(join(folder, 'node_modules', name, 'main.js'), source)
  }
  await writeFile(join(folder, 'load.mjs'), 'export default (name) => import(name)')
  const loader = (await import(pathToFileURL(join(folder, 'load.mjs')).href)) as { default: typeof load }
  load = loader.default
})

afterAll(() => rm(folder, { recursive: true }))

describe('an optional package', () => {
  test.each(['absent-package', '@absent/package', 'absent-package/inside'])(
    'that is not installed: %s',
    async (name) => {
      const cause = await load(name).catch((error: unknown) => error)
      const wanted = name.replace('/inside', '')
      const message = `The package ${wanted} is not installed: npm install ${wanted}`
      expect(cannotLoad(name, cause)).toMatchObject({
        code: 'INVALID_CONFIG',
        retryable: false,
        message,
        cause,
      })
      expect(() => requirePackage(name, import.meta.url)).toThrow(message)
    },
  )

  test.each(Object.keys(broken))('that is there and does not load: %s', async (name) => {
    const cause = await load(name).catch((error: unknown) => error)
    const error = cannotLoad(name, cause)
    expect(error).toMatchObject({ code: 'INVALID_CONFIG', retryable: false, cause })
    expect(error.message).toMatch(/^The package \w+ is installed but does not load; see the cause\./)
    expect(error.message).toContain(`npm install ${name}`)
  })

  test('is looked for from the file that asks, whatever globals there are', async () => {
    const owner = join(folder, 'node_modules/owner')
    await mkdir(join(owner, 'node_modules/own'), { recursive: true })
    await writeFile(join(owner, 'node_modules/own/index.js'), 'module.exports = 7')
    await writeFile(join(owner, 'main.mjs'), '')
    vi.stubGlobal('__filename', '[eval]')
    vi.stubGlobal('__webpack_require__', {})
    const here = pathToFileURL(join(owner, 'main.mjs')).href
    expect([requirePackage('own', here), requirePackage('own', `${here}?v=1#a`)]).toEqual([7, 7])
    vi.unstubAllGlobals()
  })

  test('in a bundle of ES modules, where it finds no require', () => {
    const cause = new Error('Dynamic require of "events" is not supported')
    expect(cannotLoad('ioredis', cause).message).toContain('this bundle of ES modules has no require')
  })

  test('is installed in the version that was tried', () => {
    expect(() => requirePackage('absent-package', import.meta.url, 'absent-package@1.2.3')).toThrow(
      'npm install absent-package@1.2.3',
    )
  })
})
