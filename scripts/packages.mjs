/** Packs every published package and checks the archive as its users would meet it: publint, then attw. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { packages, root, verdict } from './workspaces.mjs'

const run = promisify(execFile)
const checks = [
  ['publint', '--strict', '.'],
  ['attw', '--pack', '.', '--profile', 'esm-only', '--no-emoji', '--no-color'],
]

const problems = []
for (const { folder, manifest } of packages()) {
  const results = await Promise.allSettled(checks.map(([tool, ...args]) => check(folder, tool, args)))
  const failed = results.filter((result) => result.status === 'rejected').map(({ reason }) => reason)
  problems.push(...failed.map((error) => `${manifest.name}: ${error.cmd}\n${error.stdout}${error.stderr}`))
}
verdict('packages', problems)

function check(folder, tool, args) {
  return run(join(root, 'node_modules/.bin', tool), args, { cwd: join(root, folder), maxBuffer: 2 ** 24 })
}
