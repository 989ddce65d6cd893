/**
 * Checks that every link into the repository in a markdown file leads to a file, and to a heading where it names one,
 * and that the index of the documentation names every package.
 */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { anchorOf, files, packages, root, verdict } from './workspaces.mjs'

/** READMEs of packages name pages in full: a registry shows them without the repository. */
const home = /^https:\/\/github\.com\/unikv\/unikv\/(?:blob|tree)\/main\//

const pages = files('.', (path) => path.endsWith('.md'))
const index = links('docs/README.md')
const missing = packages()
  .filter(({ folder }) => !index.some((link) => link.startsWith(`../${folder}/README.md`)))
  .map(({ manifest }) => `docs/README.md does not name ${manifest.name}`)
verdict(`links of ${pages.length} pages`, [
  ...missing,
  ...pages.flatMap((page) => links(page).flatMap((link) => problemOf(page, link))),
])

function links(page) {
  const prose = withoutCode(page).replace(/`[^`\n]*`/g, '')
  return [...prose.matchAll(/\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)|^\[[^\]]+\]:\s+(\S+)/gm)].map(
    (m) => m[1] ?? m[2],
  )
}

function problemOf(page, given) {
  const link = home.test(given) ? relative(dirname(page), given.replace(home, '')) : given
  if (/^[a-z][a-z0-9+.-]*:/i.test(link)) return []
  const [path, anchor] = link.split('#')
  const target = path === '' ? join(root, page) : resolve(root, dirname(page), decodeURIComponent(path))
  if (!existsSync(target)) return [`${page}: ${link} leads nowhere`]
  if (anchor === undefined || statSync(target).isDirectory() || !target.endsWith('.md')) return []
  return headings(target).has(anchor) ? [] : [`${page}: ${link} names no heading`]
}

/** The anchors of a page: the n-th of a kind with `-n`. */
function headings(target) {
  const counts = new Map()
  const anchors = [...withoutCode(target).matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)].map(([, title]) => {
    const slug = anchorOf(title)
    const count = counts.get(slug) ?? 0
    counts.set(slug, count + 1)
    return count === 0 ? slug : `${slug}-${count}`
  })
  return new Set(anchors)
}

function withoutCode(page) {
  return readFileSync(resolve(root, page), 'utf8').replace(/^( *)(```+|~~~+)[\s\S]*?^\1\2.*$/gm, '')
}
