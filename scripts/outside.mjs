/**
 * Tests the packed packages in other people's programs (tests/outside). Bundlers and test runners are installed in
 * tests/outside/tools, which is not a workspace: the types that they bring would enter every other program here.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './workspaces.mjs'

const tools = join(root, 'tests/outside/tools')

if (!isInstalled()) {
  console.log('installing bundlers and test runners into tests/outside/tools')
  const args = ['ci', '--no-workspaces', '--ignore-scripts', '--no-audit', '--no-fund']
  execFileSync('npm', args, { cwd: tools, stdio: ['ignore', 'ignore', 'inherit'] })
}
const vitest = join(root, 'node_modules/vitest/vitest.mjs')
const { status } = spawnSync(process.execPath, [vitest, 'run', '--root', join(root, 'tests')], {
  cwd: root,
  stdio: 'inherit',
})
process.exitCode = status ?? 1

/** Whether the versions that the manifest pins are there. */
function isInstalled() {
  const { devDependencies } = JSON.parse(readFileSync(join(tools, 'package.json'), 'utf8'))
  return Object.entries(devDependencies).every(([name, version]) => {
    const manifest = join(tools, 'node_modules', name, 'package.json')
    return existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).version === version
  })
}
