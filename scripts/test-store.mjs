/**
 * The tests of one store, on its real server, which is started and stopped: `npm run test:store -- mongodb`.
 * Further arguments go to vitest.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './workspaces.mjs'

const [name, ...rest] = process.argv.slice(2)
const adapters = join(root, 'packages/adapters')
if (!name || !existsSync(join(adapters, name, 'test'))) {
  console.error(`Name a store: npm run test:store -- mongodb. There are ${readdirSync(adapters).join(', ')}.`)
  process.exit(2)
}
const args = ['node_modules/vitest/vitest.mjs', 'run', `packages/adapters/${name}/test`, ...rest]
process.exitCode = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1
