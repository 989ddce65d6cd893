/**
 * Writes how far each package is supported, by the field `unikv` of its manifest: docs/reference/support.md, and the last column of the
 * table of packages in README.md. With `--check` it only says whether they are what they should be.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packages, root, verdict } from './workspaces.mjs'

const levels = ['core', 'supported', 'experimental']
const all = packages().map(({ folder, manifest }) => ({ folder, manifest, ...manifest.unikv }))
const problems = all
  .filter(({ support }) => !levels.includes(support))
  .map(({ folder }) => `${folder}/package.json: unikv.support must be ${levels.join(', ')}`)

write('docs/reference/support.md', (text) =>
  text.replace(/(<!-- packages -->\n)[^]*(<!-- end of packages -->)/, (_, begin, end) =>
    [`${begin}`, table(), '', features(), '', end].join('\n'),
  ),
)
write('README.md', (text) => text.replace(/^\| \[`.*\]\(packages\/.*\|$/gm, withLevel))
verdict('levels of support', problems)

function table() {
  const rows = levels.flatMap((level) =>
    all
      .filter(({ support }) => support === level)
      .map(
        ({ folder, manifest, support, why }) =>
          `| [\`${manifest.name}\`](../../${folder}/README.md) | ${manifest.description} | ${told({ support, why })} |`,
      ),
  )
  return ['| package | what | level |', '| --- | --- | --- |', ...rows].join('\n')
}

/** Parts of packages that are further behind than the rest of them. */
function features() {
  const found = all.filter(({ experimental }) => experimental !== undefined)
  return [
    'Experimental parts of packages whose rest is supported:',
    '',
    ...found.map(
      ({ folder, manifest, experimental }) =>
        `- [\`${manifest.name}\`](../../${folder}/README.md): ${experimental.join('; ')}`,
    ),
  ].join('\n')
}

/** A row of the README, which may be about several packages of one level. */
function withLevel(row) {
  const named = all.filter(({ folder }) => row.includes(`](${folder}/README.md)`))
  const cells = new Set(named.map(told))
  if (cells.size !== 1)
    problems.push(`README.md: packages of different levels in one row: ${row.slice(0, 60)}…`)
  return row.replace(/[^|]*\|$/, ` ${[...cells].join(', ')} |`)
}

function told({ support, why }) {
  return why === undefined ? support : `${support}: ${why}`
}

function write(page, change) {
  const path = join(root, page)
  const text = readFileSync(path, 'utf8')
  const right = change(text)
  if (!process.argv.includes('--check')) writeFileSync(path, right)
  else if (right !== text) problems.push(`${page}: not what the manifests say: run node scripts/support.mjs`)
}
