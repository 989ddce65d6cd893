/** Runs the benchmarks named on the command line, or all of them one after the other: `npm run bench -- cache-hit`. */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './workspaces.mjs'

const available = readdirSync(join(root, 'bench'))
  .filter((name) => name.endsWith('.ts'))
  .map((name) => name.replace(/\.ts$/, ''))
const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !available.includes(name))
if (unknown.length > 0) {
  console.error(`No benchmark ${unknown.join(', ')}; there are: ${available.join(', ')}`)
  process.exit(2)
}

for (const name of asked.length > 0 ? asked : available) {
  const file = join(root, 'bench/dist', `${name}.js`)
  if (!existsSync(file)) throw new Error(`${file} is not built: npm run build`)
  const { status } = spawnSync(process.execPath, ['--expose-gc', file], { stdio: 'inherit' })
  if (status !== 0) process.exitCode = 1
}
