import { colours, drawingRules } from '../report/plot/plot-style.ts'

/** Style of the report: light and dark, for screens of any width and for paper. */
export const pageStyle = `
${colours}* { box-sizing: border-box }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", sans-serif;
}
main, header, footer { max-width: 1280px; margin: 0 auto; padding: 0 28px }
header { padding-top: 44px }
h1 { font-size: 30px; line-height: 1.2; margin: 0 0 6px; letter-spacing: -0.01em; overflow-wrap: anywhere }
h2 { font-size: 22px; margin: 56px 0 4px; padding-top: 18px; border-top: 1px solid var(--rule) }
h3 { font-size: 17px; margin: 0 0 2px }
p { margin: 0 0 12px; max-width: 78ch }
.lead { color: var(--soft); margin-bottom: 22px }
.note { color: var(--soft); font-size: 14px; margin: 0 0 10px; max-width: none }
.status, .lead, .note { overflow-wrap: anywhere }
.status { background: var(--warn-paper); color: var(--warn); border-radius: 8px; padding: 12px 16px; max-width: none }
.findings { padding-left: 20px; margin: 6px 0 0; max-width: 84ch }
.findings li { margin: 4px 0; overflow-wrap: anywhere }
nav { font-size: 14px; display: flex; flex-wrap: wrap; gap: 4px 18px; margin: 18px 0 0 }
a { color: var(--accent) }
figure {
  margin: 22px 0; padding: 20px 22px 18px; background: var(--panel); border: 1px solid var(--rule); border-radius: 12px;
  display: grid; gap: 8px 28px; grid-template-columns: minmax(0, 1fr);
}
figcaption { grid-column: 1 / -1 }
@media (min-width: 1080px) { figure { grid-template-columns: minmax(0, 1.15fr) minmax(0, 1fr) } figure.stacked { grid-template-columns: minmax(0, 1fr) } }
.legend { display: flex; flex-wrap: wrap; gap: 2px 20px; list-style: none; padding: 0; margin: 0 0 4px; font-size: 14px }
.legend svg { width: 34px; height: 14px; vertical-align: -2px; margin-right: 6px }
svg { display: block; width: 100%; height: auto; overflow: visible }
.legend svg { display: inline-block }
${drawingRules}.on-phone { display: none }
/* shadows at the sides where there is more of a table: they scroll with it and hide at its ends */
.scroll {
  overflow-x: auto;
  background:
    linear-gradient(to right, var(--panel) 30%, transparent) left / 48px 100% no-repeat local,
    linear-gradient(to left, var(--panel) 30%, transparent) right / 48px 100% no-repeat local,
    linear-gradient(to right, var(--shade), transparent) left / 16px 100% no-repeat scroll,
    linear-gradient(to left, var(--shade), transparent) right / 16px 100% no-repeat scroll;
}
details { margin: 10px 0 } summary { cursor: pointer; color: var(--accent); font-size: 14px }
details.twin figure { margin-top: 10px }
table { border-collapse: collapse; width: 100%; font-size: 13px; font-variant-numeric: tabular-nums; margin: 0 0 14px }
caption { text-align: left; color: var(--soft); padding: 0 0 4px }
th, td { text-align: right; padding: 4px 0 4px 8px; border-top: 1px solid var(--hair); white-space: nowrap; vertical-align: top }
thead th { border-top: 0; border-bottom: 1px solid var(--rule); font-weight: 600 }
th:first-child { text-align: left; padding-left: 0; font-weight: 500 }
tr.told td { border-top: 0; padding-left: 0; text-align: left; white-space: normal; overflow-wrap: anywhere; color: var(--soft) }
tr.told div { position: sticky; left: 0; width: min(100ch, calc(100vw - 56px)) }
tbody th { max-width: min(100ch, calc(100vw - 56px)); white-space: normal; overflow-wrap: break-word }
td small { display: block; color: var(--soft); font-size: 12px }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 3px 20px; font-size: 14.5px; margin: 10px 0 }
dt { color: var(--soft) } dd { margin: 0; overflow-wrap: anywhere }
code { overflow-wrap: anywhere; font: 0.92em ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace }
footer { color: var(--soft); font-size: 14px; padding-top: 30px; padding-bottom: 60px }
@media (max-width: 640px) { main, header, footer { padding-left: 16px; padding-right: 16px } figure { padding: 14px } .on-wide { display: none } .on-phone { display: block } dl { grid-template-columns: minmax(0, 1fr) } dd { margin-bottom: 8px } }
@media print {
  body { background: #fff; font-size: 11pt } nav { display: none }
  figure { break-inside: avoid; border-color: #ccc }
}
`
