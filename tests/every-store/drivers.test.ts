import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { isWhole, someOf } from '@unikv/test-kit/vitest'
import { describe, expect, test } from 'vitest'

const adapters = new URL('../../packages/adapters/', import.meta.url)
const script = fileURLToPath(new URL('fixtures/log-drivers.mjs', import.meta.url))

interface Manifest {
  readonly name: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

const manifests = readdirSync(adapters).map(
  (name) => JSON.parse(readFileSync(new URL(`${name}/package.json`, adapters), 'utf8')) as Manifest,
)
const driversOf = ({ dependencies = {}, peerDependencies = {} }: Manifest): string[] =>
  Object.keys({ ...dependencies, ...peerDependencies }).filter((name) => !name.startsWith('@unikv/'))
const drivers = [...new Set(manifests.flatMap(driversOf))]

/** The drivers that a module loads, and its store when it is asked once; in the built packages. */
async function loaded(module: string, url?: string): Promise<readonly string[]> {
  const args = [script, module, drivers.join(','), ...(url === undefined ? [] : [url])]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return [...new Set(stdout.split('\n').filter((line) => line !== ''))]
}

describe('drivers', () => {
  test('are known', () =>
    expect(drivers).toEqual(expect.arrayContaining(['ioredis', 'mysql2', 'mongodb', 'pg'])))

  // Those with a choice of drivers, and in the whole run all.
  const chosen = manifests.filter((manifest) => isWhole || driversOf(manifest).length > 1)
  test.each(chosen.map((manifest) => [manifest.name, manifest] as const))(
    'importing %s loads none but its own',
    async (name, manifest) => {
      const others = (await loaded(name)).filter((driver) => !driversOf(manifest).includes(driver))
      expect(others).toEqual([])
    },
  )

  test('importing unikv loads no driver of a server', async () => {
    expect(await loaded('unikv')).toEqual([])
  })

  // Port 1 refuses at once.
  const opened: readonly (readonly [string, readonly string[]])[] = [
    ['mysql://127.0.0.1:1/database?driver=mariadb', ['mariadb']],
    ['mysql://127.0.0.1:1/database', ['mysql2']],
  ]
  test.each(someOf(1, opened))('opening %s loads one', async (url, expected) => {
    expect(await loaded('unikv', url)).toEqual(expected)
  })
})
