import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './workspaces.mjs'

/** A line for each run of a proof; a header names the columns. */
const proofTable = 'docs/proofs/proofs.tsv'

/** Appends a run behind the last row of the same proof: its area and its question are those of that row. */
export function appendProof(name, run, file = join(root, proofTable)) {
  const [header, ...lines] = linesOf(file)
  const isSame = (line) => line.split('\t')[2]?.split(' ').includes(name)
  const at = lines.findLastIndex(isSame)
  const [area = 'Further runs', question = name] = lines[at]?.split('\t') ?? []
  const row = { area, question, ...run }
  const line = header.split('\t').map((column) => cell(row[column]))
  lines.splice(at === -1 ? lines.length : at + 1, 0, line.join('\t'))
  writeFileSync(file, `${[header, ...lines].join('\n')}\n`)
}

/** The page of all proofs: a table for each area. `problems` gets a sentence for each bad row. */
export function proofPage(problems) {
  const [header, ...rows] = linesOf(join(root, proofTable)).map((line) => line.split('\t'))
  const proofs = rows.map((cells, index) => {
    if (cells.length !== header.length || cells.slice(0, 3).includes(''))
      problems.push(
        `${proofTable}:${index + 2}: a row has an area, a question, a command, and ${header.length} cells`,
      )
    return Object.fromEntries(header.map((column, at) => [column, cells[at] ?? '']))
  })
  const areas = [...new Set(proofs.map(({ area }) => area))]
  return areas
    .map((area) => proofs.filter((one) => one.area === area))
    .map((own) => section(own, problems))
    .join('\n\n')
}

function section(proofs, problems) {
  const data = [...new Set(proofs.map((one) => one.data))].filter((name) => name !== '')
  for (const name of data)
    if (!existsSync(join(root, `docs/proofs/figures/${name}.tsv`)))
      problems.push(`${proofTable}: there is no docs/proofs/figures/${name}.tsv`)
  const links = data.map((name) => `[${name}](figures/${name}.tsv)`).join(', ')
  const table = [
    '| question | command | seed | figures | verdict | date, commit |',
    '| --- | --- | --- | --- | --- | --- |',
    ...proofs.map(rowOf),
  ]
  return [`## ${proofs[0].area}`, ...(links ? [`All figures: ${links}.`] : []), table.join('\n')].join('\n\n')
}

function rowOf({ question, command, seed, figures, verdict, date, commit }) {
  const shown = /^(?:npm|npx|unikv|node|[A-Z_]+=)/.test(command) ? `\`${command}\`` : command
  const when = [date, commit].filter((one) => one !== '').join(', ')
  return `| ${[question, shown, seed, figures, verdict, when].join(' | ')} |`
}

function linesOf(file) {
  return readFileSync(file, 'utf8').replace(/\n+$/, '').split('\n')
}

/** A cell holds one line, and no separator of the file or of the page. */
function cell(value = '') {
  return String(value).replaceAll('|', '/').replace(/\s+/g, ' ').trim()
}
