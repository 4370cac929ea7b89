// The style of all pages, in the colours of the pages that the server sends to visitors. One accent; states have a shape and words.

enum StyleSheet {
    static let text = """
        :root {
          color-scheme: light dark;
          --paper: #fbfaf7; --raised: #fff; --ink: #1d2328; --soft: #57616a; --line: #dcd8cf; --strong: #8f8a7e;
          --accent: #0b5c7a; --on: #fff; --panel: #f1eee7;
          --good: #1c6a3c; --warn: #835000; --bad: #ae241c; --good-bg: #e6f1e9; --warn-bg: #f8ecd6; --bad-bg: #fae7e4;
          --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --paper: #14181b; --raised: #191e22; --ink: #e8e6e1; --soft: #a3adb5; --line: #30383e; --strong: #6d7880;
            --accent: #7cc4e0; --on: #0d1a20; --panel: #1f262b;
            --good: #82d3a2; --warn: #f0bd6b; --bad: #ff9f95; --good-bg: #17291f; --warn-bg: #2e2516; --bad-bg: #331d1b;
          }
        }
        * { box-sizing: border-box; }
        html { scroll-padding-top: 1rem; -webkit-text-size-adjust: 100%; }
        body {
          margin: 0; background: var(--paper); color: var(--ink); overflow-wrap: anywhere;
          font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
        }
        h1 { font-size: clamp(1.5rem, 1.1rem + 1.6vw, 2rem); line-height: 1.2; letter-spacing: -0.015em; margin: 0; }
        h2 { font-size: 1.0625rem; line-height: 1.3; margin: 0; }
        h3 { font-size: 1rem; line-height: 1.3; margin: 1.25rem 0 0.625rem; }
        p { margin: 0 0 0.75rem; }
        a { color: var(--accent); text-underline-offset: 0.2em; text-decoration-thickness: 1px; }
        :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
        main:focus { outline: none; }
        code, pre, textarea.code { font-family: var(--mono); font-size: 0.875rem; }
        .soft { color: var(--soft); }
        .hidden, input.hidden[type] { position: absolute; width: 1px; height: 1px; min-height: 0; padding: 0; border: 0; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
        .skip { position: absolute; left: 0.5rem; top: -4rem; padding: 0.5rem 1rem; background: var(--accent); color: var(--on); }
        .skip:focus { top: 0.5rem; z-index: 1; }

        header.top, main { max-width: 66rem; margin: 0 auto; padding-inline: clamp(1rem, 4vw, 2rem); }
        header.top { display: flex; flex-wrap: wrap; align-items: center; gap: 0.75rem 1.25rem; padding-block: 1rem 0; }
        .brand { display: flex; align-items: center; gap: 0.5rem; min-height: 2.25rem; color: var(--ink); font-weight: 650; text-decoration: none; }
        .brand svg { width: 1.625rem; height: 1.625rem; color: var(--accent); flex: none; }
        .search { display: flex; flex: 1 1 18rem; min-width: 0; gap: 0.5rem; }
        .account { display: flex; align-items: center; gap: 0.75rem; color: var(--soft); font-size: 0.875rem; }
        nav ul { display: flex; flex-wrap: wrap; gap: 0 1.5rem; margin: 0; padding: 0; list-style: none; }
        nav[aria-label="Main"] { flex: 1 0 100%; border-bottom: 1px solid var(--line); }
        nav[aria-label="Main"] a {
          display: block; padding: 0.5rem 0; margin-bottom: -1px; border-bottom: 2px solid transparent; color: var(--soft); text-decoration: none;
        }
        nav[aria-label="Main"] a:hover { color: var(--ink); }
        nav[aria-label="Main"] a[aria-current] { border-color: var(--accent); color: var(--ink); font-weight: 600; }
        main { padding-block: clamp(1.5rem, 4vw, 2.5rem) 4rem; }
        .title { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem 0.875rem; margin-bottom: 0.5rem; }
        .lead { font-size: 1.0625rem; color: var(--soft); max-width: 46rem; }
        .crumb { margin: 0 0 0.25rem; font-size: 0.875rem; }

        section { margin-top: 2.25rem; }
        section > header { display: flex; flex-wrap: wrap; align-items: baseline; justify-content: space-between; gap: 0.25rem 1rem; margin-bottom: 0.625rem; }
        section > header > :not(h2) { font-size: 0.875rem; }
        section > p.soft { font-size: 0.9375rem; }
        ul.rows { list-style: none; margin: 0; padding: 0; background: var(--raised); border: 1px solid var(--line); border-radius: 0.625rem; }
        ul.rows > li { display: flex; flex-wrap: wrap; align-items: center; gap: 0.25rem 1rem; padding: 0.6875rem 1rem; }
        ul.rows > li + li { border-top: 1px solid var(--line); }
        ul.rows .name { flex: 1 1 14rem; min-width: 0; font-weight: 550; }
        ul.rows .name a { display: inline-block; padding-block: 0.125rem; text-decoration: none; }
        ul.rows .name a:hover { text-decoration: underline; }
        ul.rows .states { display: flex; flex-wrap: wrap; gap: 0.375rem; }
        ul.rows .more { flex: 1 0 100%; margin: 0; color: var(--soft); font-size: 0.9375rem; }
        ul.rows .next { color: var(--ink); }
        .empty { padding: 1.25rem; background: var(--panel); border-radius: 0.625rem; }
        h1 + form { margin-top: 1rem; }
        details > p { margin: 0; padding: 0.5rem 1rem; } p.caption { margin: 0.5rem 0 0.25rem; }
        ins, del { display: block; text-decoration: none; } ins { color: var(--good); } del { color: var(--bad); }
        mark { background: var(--warn-bg); color: inherit; font-weight: 600; }
        .empty > :last-child { margin-bottom: 0; }

        .badge {
          display: inline-flex; align-items: center; gap: 0.375rem; padding: 0.125rem 0.5rem 0.125rem 0.4375rem; border-radius: 1rem;
          background: var(--panel); color: var(--soft); font-size: 0.8125rem; font-weight: 550; line-height: 1.375rem;
        }
        .icon { width: 1em; height: 1em; flex: none; fill: none; stroke: currentColor; stroke-width: 1.6; stroke-linecap: round; stroke-linejoin: round; }
        .good { color: var(--good); } .warn { color: var(--warn); } .bad { color: var(--bad); }
        .badge.good, .notice.good { background: var(--good-bg); } .badge.warn, .notice.warn { background: var(--warn-bg); }
        .badge.bad, .notice.bad { background: var(--bad-bg); }
        .notice { display: flex; gap: 0.625rem; padding: 0.75rem 1rem; border-radius: 0.625rem; background: var(--panel); }
        .notice .icon { margin-top: 0.25rem; } .notice span { color: var(--ink); }
        .headline { display: flex; gap: 0.75rem; align-items: flex-start; }
        .headline h1 { color: var(--ink); }
        .headline .icon { width: 1.75rem; height: 1.75rem; margin-top: 0.125rem; stroke-width: 1.3; }

        dl { margin: 0; display: grid; grid-template-columns: minmax(8rem, max-content) 1fr; gap: 0.5rem 1.5rem; }
        dl > div { display: contents; }
        dt { color: var(--soft); } dd { margin: 0; min-width: 0; }
        .columns { display: grid; gap: 0 3rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); }
        ol.steps { list-style: none; margin: 0 0 1rem; padding: 0; }
        ol.steps li { position: relative; padding: 0 0 0.625rem 1.75rem; }
        ol.steps li::before {
          content: ""; position: absolute; left: 0.25rem; top: 0.375rem; width: 0.75rem; height: 0.75rem; border-radius: 50%;
          border: 2px solid var(--strong); background: var(--paper);
        }
        ol.steps li:not(:last-child)::after { content: ""; position: absolute; left: calc(0.625rem - 1px); top: 1.25rem; bottom: -0.25rem; border-left: 2px solid var(--line); }
        ol.steps li.done::before { background: var(--accent); border-color: var(--accent); }
        ol.steps .soft { display: block; font-size: 0.9375rem; }
        meter { width: min(100%, 20rem); height: 0.75rem; vertical-align: middle; }
        pre.code { margin: 0; padding: 0.875rem 1rem; max-height: 32rem; overflow: auto; background: var(--panel); border-radius: 0.625rem; line-height: 1.55; white-space: pre-wrap; }
        pre .k { color: var(--accent); } pre .s { color: var(--good); } pre .c { color: var(--soft); font-style: italic; }
        pre.numbered { counter-reset: line; }
        pre.numbered span:not(span span)::before { counter-increment: line; content: counter(line); display: inline-block; min-width: 2.5em; padding-right: 1em; color: var(--soft); text-align: right; }
        details { margin-top: 0.5rem; border: 1px solid var(--line); border-radius: 0.625rem; background: var(--raised); }
        summary { padding: 0.625rem 1rem; cursor: pointer; font-weight: 550; }
        details[open] > summary { border-bottom: 1px solid var(--line); }
        details > pre.code + pre.code { border-top: 1px solid var(--line); }
        details > pre.code { border-radius: 0 0 0.625rem 0.625rem; }
        code.copy { padding: 0.125rem 0.375rem; background: var(--panel); border-radius: 0.25rem; user-select: all; }
        .copier { margin-left: 0.375rem; min-height: 1.625rem; padding: 0 0.5rem; font-size: 0.8125rem; }
        .qr { width: 11rem; max-width: 100%; height: auto; padding: 0.75rem; background: #fff; color: #000; border-radius: 0.625rem; }

        form { margin: 0; }
        button, .button {
          min-height: 2.25rem; padding: 0 0.875rem; border: 1px solid var(--strong); border-radius: 0.5rem; background: var(--raised);
          color: var(--ink); font: inherit; font-size: 0.9375rem; white-space: nowrap; flex: none; cursor: pointer;
        }
        button:hover { border-color: var(--accent); }
        button.main { background: var(--accent); border-color: var(--accent); color: var(--on); font-weight: 600; }
        input[type="search"], input[type="text"], input[type="password"], input[type="datetime-local"], select, textarea {
          width: 100%; min-height: 2.25rem; padding: 0.375rem 0.75rem; border: 1px solid var(--strong); border-radius: 0.5rem;
          background: var(--raised); color: var(--ink); font: inherit;
        }
        input::placeholder { color: var(--soft); opacity: 1; }
        textarea { min-height: 4rem; resize: vertical; }
        label { display: block; margin: 0 0 0.25rem; font-weight: 550; }
        .field { margin-bottom: 1rem; }
        input[type="checkbox"] { width: 1.5rem; height: 1.5rem; margin: 0 0.375rem 0 0; vertical-align: middle; }
        .actions { display: flex; flex-wrap: wrap; gap: 0.625rem; align-items: center; }
        .filter { display: flex; flex-wrap: wrap; gap: 0.5rem; margin: 1rem 0; } .filter input { flex: 1 1 12rem; width: auto; }
        .pager { display: flex; gap: 1.5rem; margin-top: 1rem; } .pager a { padding: 0.25rem 0; }
        .sign-in { max-width: 26rem; margin: 8vh auto 0; }
        .sign-in button { width: 100%; }
        #status { position: fixed; right: 1rem; bottom: 1rem; margin: 0; padding: 0.25rem 0.75rem; border-radius: 0.5rem; background: var(--panel); color: var(--soft); font-size: 0.8125rem; }
        #status:empty { display: none; }

        @media (max-width: 40rem) {
          .search { order: 3; flex-basis: 100%; }
          .account { margin-left: auto; }
          nav[aria-label="Main"] { order: 4; }
          nav[aria-label="Main"] ul { gap: 0 1.125rem; }
          dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: 0.625rem; }
        }
        @media (forced-colors: active) {
          .badge, .notice, ul.rows, details, pre.code { border: 1px solid; }
          nav[aria-label="Main"] a[aria-current] { border-color: Highlight; }
          ol.steps li.done::before { background: Highlight; forced-color-adjust: none; }
          .qr { forced-color-adjust: none; }
        }
        @media (prefers-reduced-motion: no-preference) { button, a, input { transition: border-color 0.12s, color 0.12s; } }
        @media print { header.top, .actions, .copier, #status { display: none; } }

        """
}
