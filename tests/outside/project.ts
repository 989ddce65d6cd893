import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, realpath, rm, symlink } from 'node:fs/promises'
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
  '@rgrove/parse-xml',
  'bignumber.js',
  'diff',
  'dot-properties',
  'jiti',
  're2js',
  'synckit',
  'tinypool',
  'yaml',
  'zod',
]
const tools = ['@jest/globals', 'jest', 'jsdom', 'vitest']

declare module 'vitest' {
  interface ProvidedContext {
    /** A project outside of the clone, with the packed packages and all drivers. */
    project: string
    /** The same without any driver. */
    bare: string
  }
}

/**
 * Makes two projects outside of the clone, as their authors would have them: the packages are those that would be
 * published, unpacked; what the clone has installed already is linked.
 */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'unikv-outside-')))
  const [project, bare] = [join(folder, 'project'), join(folder, 'bare')]
  await unpack(folder, join(bare, 'node_modules'))
  await link(bare, '@types/node', 'node_modules/@types/node')
  await link(bare, 'commander', 'packages/unikv/node_modules/commander')
  for (const name of dependencies) await link(bare, name, join('node_modules', name))
  await cp(join(root, 'tests/outside/program'), bare, { recursive: true })
  await cp(bare, project, { recursive: true, verbatimSymlinks: true })
  for (const name of drivers) await link(project, name, join('node_modules', name))
  for (const name of tools) await link(project, name, join('tests/outside/tools/node_modules', name))
  provide('project', project)
  provide('bare', bare)
  return () => rm(folder, { recursive: true, force: true })
}

/** All published packages, packed and unpacked. */
async function unpack(folder: string, target: string): Promise<void> {
  const archives = join(folder, 'archives')
  await mkdir(archives)
  const names = (await published()).flatMap((name) => ['--workspace', name])
  await run('npm', ['pack', '--pack-destination', archives, ...names], { cwd: root, maxBuffer: 2 ** 24 })
  for (const archive of await readdir(archives)) {
    const name = archive.replace(/-\d.*$/, '').replace('unikv-', '@unikv/')
    await mkdir(join(target, name), { recursive: true })
    await run('tar', ['-xzf', join(archives, archive), '-C', join(target, name), '--strip-components=1'])
  }
}

/** The names of all packages that are published. */
export async function published(): Promise<readonly string[]> {
  const { packages } = (await import(new URL('../../scripts/workspaces.mjs', import.meta.url).href)) as {
    readonly packages: () => readonly { readonly manifest: { readonly name: string } }[]
  }
  return packages().map(({ manifest }) => manifest.name)
}

async function link(project: string, name: string, from: string): Promise<void> {
  const path = join(project, 'node_modules', name)
  await mkdir(dirname(path), { recursive: true })
  await symlink(join(root, from), path)
}
