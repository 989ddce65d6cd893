/**
 * Runs every example and fails if one does not end well within five minutes. An example that needs a server says so
 * in a line `// needs: NAME_OF_VARIABLE`, and is skipped, loudly, where that variable is not set.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root, verdict } from './workspaces.mjs'

const run = promisify(execFile)
const sources = readdirSync(join(root, 'examples')).filter((name) => name.endsWith('.ts'))
const problems = []
for (const name of sources) {
  const missing = needs(name).filter((variable) => !process.env[variable])
  if (missing.length > 0) console.log(`examples/${name}: SKIPPED, ${missing.join(', ')} not set`)
  else
    await runExample(name).catch((error) =>
      problems.push(`examples/${name}: ${error.message}\n${error.stdout}`),
    )
}
verdict(`${sources.length} examples`, problems)

function needs(name) {
  const text = readFileSync(join(root, 'examples', name), 'utf8')
  return [...text.matchAll(/^\/\/ needs: (\w+)$/gm)].map((match) => match[1])
}

async function runExample(name) {
  const cwd = mkdtempSync(join(tmpdir(), 'unikv-example-'))
  try {
    await run(process.execPath, [join(root, 'examples/dist', name.replace(/\.ts$/, '.js'))], {
      cwd,
      timeout: 300_000,
    })
    console.log(`examples/${name}: ok`)
  } finally {
    rmSync(cwd, { recursive: true, force: true })
  }
}
