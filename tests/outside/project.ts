import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'

const run = promisify(execFile)

/** The folder of the repository. */
const root = fileURLToPath(new URL('../..', import.meta.url))

/** What drivers and codecs a project may install, and what its programs are written and run with. */
const drivers = [
  '@aws-sdk/client-dynamodb',
  '@aws-sdk/client-s3',
  '@bokuweb/zstd-wasm',
  'cassandra-driver',
  'ioredis',
  'libsql',
  'lmdb',
  'lz4-napi',
  'mariadb',
  'mongodb',
  'mysql2',
  'nano',
  'pg',
  'redis',
  'snappy',
]
const dependencies = [
  '@hono/node-server',
  '@rgrove/parse-xml',
  'bignumber.js',
  'diff',
  'dot-properties',
  'hono',
  'jiti',
  're2js',
  'synckit',
  'tinypool',
  'yaml',
  'zod',
]
/** One of another version is in the common folder. */
const commander = 'packages/unikv/node_modules/commander'
const tools = ['@jest/globals', 'jest', 'jsdom', 'vitest']

declare module 'vitest' {
  interface ProvidedContext {
    /** A project outside of the clone, with the packed packages and all drivers. */
    project: string
    /** The same without any driver. */
    bare: string
    /** The same where each package sees only what it declares, as strict package managers lay it out. */
    strict: string
  }
}

/**
 * Makes two projects outside of the clone, as their authors would have them: the packages are those that would be
 * published, unpacked; what the clone has installed already is linked.
 */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'unikv-outside-')))
  const [project, bare] = [join(folder, 'project'), join(folder, 'bare')]
  await unpack(join(bare, 'node_modules'))
  await link(bare, '@types/node', 'node_modules/@types/node')
  await link(bare, 'commander', commander)
  for (const name of dependencies) await link(bare, name, join('node_modules', name))
  await cp(join(root, 'tests/outside/program'), bare, { recursive: true })
  await cp(bare, project, { recursive: true, verbatimSymlinks: true })
  for (const name of drivers) await link(project, name, join('node_modules', name))
  for (const name of tools) await link(project, name, join('tests/outside/tools/node_modules', name))
  provide('project', project)
  provide('bare', bare)
  provide('strict', await strictFrom(bare, join(folder, 'strict')))
  return () => rm(folder, { recursive: true, force: true })
}

/** All published packages, packed and unpacked. */
async function unpack(target: string): Promise<void> {
  const { packageIn, withArchives } = (await script('archives.mjs')) as {
    readonly packageIn: (archive: string) => string
    readonly withArchives: (use: (folder: string) => Promise<void>) => Promise<void>
  }
  await withArchives(async (folder) => {
    for (const archive of await readdir(folder)) {
      const home = join(target, packageIn(archive))
      await mkdir(home, { recursive: true })
      await run('tar', ['-xzf', join(folder, archive), '-C', home, '--strip-components=1'])
    }
  })
}

function script(name: string): Promise<unknown> {
  return import(new URL(`../../scripts/${name}`, import.meta.url).href)
}

/** Every package in a place of its own, beside links to what its manifest names, as far as it is installed. */
async function strictFrom(bare: string, strict: string): Promise<string> {
  const names = await published()
  const placeOf = (name: string): string => join(strict, 'store', name.replace('/', '+'), 'node_modules')
  const from = (name: string): string =>
    names.includes(name)
      ? join(placeOf(name), name)
      : join(root, name === 'commander' ? commander : join('node_modules', name))
  await cp(join(root, 'tests/outside/program'), strict, { recursive: true })
  for (const name of names) {
    const home = join(placeOf(name), name)
    await cp(join(bare, 'node_modules', name), home, { recursive: true })
    const text = await readFile(join(home, 'package.json'), 'utf8')
    const { dependencies, peerDependencies } = JSON.parse(text) as Record<string, object>
    const declared = Object.keys({ ...dependencies, ...peerDependencies })
    for (const other of declared) await linkTo(join(placeOf(name), other), from(other))
    await linkTo(join(strict, 'node_modules', name), from(name))
  }
  return strict
}

/** The names of all packages that are published. */
export async function published(): Promise<readonly string[]> {
  const { packages } = (await script('workspaces.mjs')) as {
    readonly packages: () => readonly { readonly manifest: { readonly name: string } }[]
  }
  return packages().map(({ manifest }) => manifest.name)
}

async function link(project: string, name: string, from: string): Promise<void> {
  await linkTo(join(project, 'node_modules', name), join(root, from))
}

async function linkTo(path: string, target: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await symlink(target, path)
}
