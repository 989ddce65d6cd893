// Lines of code of the components of session workloads, without blank lines and comments, as a Markdown table: node scripts/loc.mjs
import { readdirSync, readFileSync } from 'node:fs'

const files = readdirSync('packages', { recursive: true, encoding: 'utf8' }).filter(
  (file) => /^[^.]*\/src\/.*\.ts$/.test(file) && !file.includes('node_modules'),
)

/** Components, and the files of each. */
const components = [
  ['entities (`@unikv/entity`)', /^entity\/src\//],
  ['configuration language (`@unikv/config`)', /^config\/src\//],
  ['sessions (`@unikv/bench/session`)', /^bench\/src\/session\/(model|run)\//],
  ['jobs (`packages/bench/src/studies/session`)', /^bench\/src\/studies\/session\//],
  ['SQL access', /^bench\/src\/session\/sql\//],
  ['Auction, by entities', /^bench\/src\/session\/auction\/(by-entities|entities)\.ts$/],
  ['Auction, by SQL', /^bench\/src\/session\/auction\/by-sql\.ts$/],
  ['Auction, for both', /^bench\/src\/session\/auction\/(?!by-|entities)/],
  ['Micro, by entities', /^bench\/src\/session\/micro\/by-entities\.ts$/],
  ['Micro, by SQL', /^bench\/src\/session\/micro\/by-sql\.ts$/],
  ['Micro, for both', /^bench\/src\/session\/micro\/(?!by-)/],
]

/** Lines with code. A comment over several lines has its lines for itself in this code. */
function linesOf(file) {
  const code = readFileSync(`packages/${file}`, 'utf8').replace(/^\s*\/\*[\s\S]*?\*\/\s*$/gm, '')
  return code.split('\n').filter((line) => !/^\s*(\/\/|$)/.test(line)).length
}

console.log('| component | lines | files |\n| --- | ---: | ---: |')
for (const [name, pattern] of components) {
  const own = files.filter((file) => pattern.test(file))
  const lines = own.reduce((sum, file) => sum + linesOf(file), 0)
  console.log(`| ${name} | ${lines.toLocaleString('en')} | ${own.length} |`)
}
