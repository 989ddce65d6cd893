/**
 * Runs what can differ between versions of Node.js on other ones: timers, codecs, compression, encryption, files,
 * native modules and threads. They come from the registry and are kept in .cache/runtimes.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { root } from './workspaces.mjs'

const [between, newest] = ['22.23.3', '24.21.0']

/** Files of the three stores on this machine. */
const stores = (...names) =>
  ['file', 'lmdb', 'sqlite'].flatMap((store) =>
    names.map((name) => `packages/adapters/${store}/test/${name ?? store}.test.ts`),
  )

/**
 * The Node.js between the oldest and the newest: native modules, threads, timers and compression. Topics of the conformance
 * suite that are nothing but JavaScript are left out: see `isCut` in the suites of the three stores.
 */
const few = [
  'packages/core/test/deadlines',
  'packages/sync/test/threads',
  'packages/middleware/compression/test/compress',
  ...stores('conformance'),
]

/** The newest: besides, what asks more of Node.js than the language. */
const some = [
  ...few,
  'packages/core/test/codecs',
  'packages/core/test/memory',
  'packages/core/test/realms',
  'packages/sync/test/crossing',
  'packages/middleware/cache/test/sharing',
  'packages/middleware/encryption/test/golden',
  'packages/middleware/encryption/test/streams',
  'packages/middleware/encryption/test/wycheproof',
  'packages/middleware/resilience/test/retries',
]

/** Each of them, with UNIKV_TESTS=whole. */
const whole = [
  ...some,
  'packages/core/test',
  'packages/sync/test',
  ...stores(undefined, 'environment', 'faults', 'opening', 'threads'),
  'packages/conformance/test/memory',
  'packages/middleware/delta/test/golden',
  'packages/middleware/monitor/test/histogram',
  'packages/middleware/resilience/test/hedges',
  'packages/bench/test/loops',
]

const isWhole = process.env.UNIKV_TESTS === 'whole'
run(between, isWhole ? whole : few)
run(newest, isWhole ? whole : some)

function run(version, files) {
  const node = installed(version)
  console.log(`\nNode.js ${execFileSync(node, ['--version']).toString().trim()}`)
  const env = {
    ...process.env,
    UNIKV_EMBEDDED_ONLY: '1',
    // Tests that start `node` get the same one.
    PATH: `${dirname(node)}${delimiter}${process.env.PATH}`,
  }
  const args = [join(root, 'node_modules/vitest/vitest.mjs'), 'run'].concat(files)
  const { status } = spawnSync(node, args, { cwd: root, env, stdio: 'inherit' })
  if (status !== 0) process.exitCode = 1
}

/**
 * The path of this version's binary, installed where it is missing. The package `node` only picks the package
 * of this platform in an install script; naming that one directly runs no script.
 */
function installed(version) {
  const folder = join(root, '.cache/runtimes', version)
  const name = `node-${process.platform}-${process.arch}`
  const node = join(folder, 'node_modules', name, 'bin/node')
  if (existsSync(node)) return node
  console.log(`installing Node.js ${version} into .cache/runtimes`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
  const args = ['install', '--no-save', '--no-package-lock', '--ignore-scripts', `${name}@${version}`]
  execFileSync('npm', args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  return node
}
