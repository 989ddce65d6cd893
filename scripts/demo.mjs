/**
 * The main job on a fresh clone: installs, builds, then measures the embedded stores (files and LMDB, each with an
 * in-process cache) over real files, briefly, prints the table and the path of the report. Until the build nothing but
 * Node.js and npm is needed.
 *
 *   npm run demo                      over this repository's own documentation and sources
 *   npm run demo -- --data DIR        over your files
 */
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { isInstalled } from './locked-install.mjs'
import { root } from './workspaces.mjs'

const folder = join(root, 'unikv-demo')
const stores = join(folder, 'stores')
/** Texts and sources of this repository, some 800 KB: few folders, so that the command to repeat it fits on a screen. */
const ownTexts = ['docs/guides', 'docs/concepts', 'packages/core/src']
const startedIn = process.env.INIT_CWD ?? process.cwd()

process.on('SIGINT', () => {}) // the child gets it as well, tidies up and ends; then this one does

process.exitCode = await main().catch((error) => {
  console.error(`demo: ${error.message}`)
  return 2
})

async function main() {
  const { values } = parseArgs({ options: { data: { type: 'string', multiple: true } } })
  const data =
    values.data?.map((path) => resolve(startedIn, path)) ?? ownTexts.map((path) => join(root, path))
  if (!isInstalled()) run('Installing', 'npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'])
  run('Building', 'npm', ['run', '--silent', 'build'])
  const sizes = await sizesFor(data)
  console.log(
    `Measuring files and LMDB over ${values.data === undefined ? 'texts and sources of this repository' : data.join(', ')} …`,
  )
  try {
    return benchSizes(data, sizes)
  } finally {
    rmSync(stores, { recursive: true, force: true })
  }
}

/** 100 bytes to 100 KB, as far as the data reaches: nothing is padded. */
async function sizesFor(data) {
  const { filesSource } = await import(pathToFileURL(join(root, 'packages/bench/dist/engine.js')).href)
  const { totalBytes } = await filesSource(data, 1)
  const sizes = [100, 1_000, 10_000, 100_000].filter((size) => size <= totalBytes)
  return sizes.length === 0 ? String(totalBytes) : sizes.join(',')
}

function benchSizes(data, sizes) {
  const options = [
    ['--store', `file:${stores}/file`, '--store', `lmdb:${stores}/lmdb`],
    ['--measure-hit-rates', '--encryption', 'aes-256-gcm', '--compression', 'gzip'],
    ['--sizes', sizes, '--operations', '20', '--runs', '3', '--out', relative(root, join(folder, 'result'))],
  ].flat()
  const sources = data.flatMap((path) => ['--data', relative(root, path) || '.'])
  const { status } = spawnSync(
    process.execPath,
    [join(root, 'packages/unikv/bin/unikv.js'), 'bench', 'sizes', ...options, ...sources],
    { cwd: root, stdio: 'inherit' },
  )
  return status ?? 1
}

function run(what, command, args) {
  console.log(`${what} …`)
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed`)
}
