/**
 * Runs the embedded part of the tests (all that need no server) on other versions of Node.js. They come from
 * the registry and are kept in .cache/runtimes.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { root } from './workspaces.mjs'

const versions = ['22.23.3', '24.21.0']

for (const version of versions) {
  const node = installed(version)
  console.log(`\nNode.js ${execFileSync(node, ['--version']).toString().trim()}, embedded tests`)
  const env = {
    ...process.env,
    UNIKV_EMBEDDED_ONLY: '1',
    // Tests that start `node` get the same one.
    PATH: `${dirname(node)}${delimiter}${process.env.PATH}`,
  }
  const { status } = spawnSync(node, [join(root, 'node_modules/vitest/vitest.mjs'), 'run'], {
    cwd: root,
    env,
    stdio: 'inherit',
  })
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
