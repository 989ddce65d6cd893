/** Colors of pages and drawings, light and dark. */
export const colours = `:root {
  color-scheme: light dark;
  --paper: #fcfcfa; --ink: #1c2024; --soft: #5b646e; --rule: #dcdfe3; --hair: #eceef0; --panel: #ffffff;
  --accent: #0b62a8; --warn: #9a4b00; --shade: #1c202433; --warn-paper: #fff4e5;
  --series-0: #0b6bb8; --series-1: #c8500a; --series-2: #15803d; --series-3: #a3329b;
  --series-4: #8a6a00; --series-5: #0e8a9c; --series-6: #b4233c; --series-7: #5b5bd6;
  --ramp-start: oklch(0.66 0.15 58); --ramp-end: oklch(0.43 0.16 262);
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14171a; --ink: #e8eaed; --soft: #a2abb5; --rule: #343a41; --hair: #24292e; --panel: #1a1e22;
    --accent: #6cb6f5; --warn: #ffc27a; --shade: #e8eaed40; --warn-paper: #33260f;
    --series-0: #5cb2ff; --series-1: #ff9a52; --series-2: #5fd08a; --series-3: #e38adf;
    --series-4: #e0bd4a; --series-5: #57cfdf; --series-6: #ff8496; --series-7: #a5a5ff;
    --ramp-start: oklch(0.7 0.14 58); --ramp-end: oklch(0.76 0.13 250);
  }
}
`

/** Rules of the parts of a drawing. */
export const drawingRules = `svg text { font: 12.5px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; fill: var(--soft) }
svg .middle { text-anchor: middle } svg .end { text-anchor: end }
svg .axis { fill: var(--ink) }
svg .name { fill: var(--c); font-weight: 600 }
svg .major { stroke: var(--rule); stroke-width: 1 } svg .minor { stroke: var(--hair); stroke-width: 1 }
svg .frame { fill: none; stroke: var(--rule) }
svg .curve { fill: none; stroke: var(--c); stroke-width: 2.25; stroke-linejoin: round }
svg .dashed { stroke-dasharray: 6 4 }
svg .thin { stroke-width: 1.25; stroke-dasharray: 1.5 3.5 }
svg .bar { fill: none; stroke: var(--c); stroke-width: 1.25; opacity: .75 }
svg .mark { fill: var(--c); stroke: var(--panel); stroke-width: 1 }
svg .hollow { fill: var(--panel); stroke: var(--c); stroke-width: 1.75 }
svg .ring { fill: none; stroke: var(--c); stroke-width: 1.75 }
svg .moment path { stroke: var(--ink); stroke-width: 1.25; stroke-dasharray: 2 3 }
svg .moment text { fill: var(--ink) }
svg .leader { fill: none; stroke: var(--c); stroke-width: 1; opacity: .45 }
`
