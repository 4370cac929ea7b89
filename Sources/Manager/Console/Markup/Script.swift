// The only script. Pages work without it: it fetches the page again and replaces what has changed, and adds buttons that copy.

enum Script {
    static let text = """
        'use strict';
        (() => {
          const main = document.getElementById('main'), status = document.getElementById('status');
          // A text that somebody writes is never replaced.
          const isLive = 'live' in main.dataset && !main.querySelector('textarea');
          let tag = null, timer = null, failures = 0;
          const say = text => { if (status.textContent !== text) status.textContent = text; };
          const isBusy = () => main.contains(document.activeElement) && /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName)
            || !getSelection().isCollapsed;

          // Each part of the page that differs is replaced; what is open stays open, and the focus stays where it was.
          const replace = next => {
            const open = new Set([...main.querySelectorAll('details[open]')].map(one => one.id));
            const closed = new Set([...main.querySelectorAll('details:not([open])')].map(one => one.id));
            for (const one of next.querySelectorAll('details[id]')) one.open = open.has(one.id) || one.open && !closed.has(one.id);
            const focus = document.activeElement, href = focus?.getAttribute('href'), id = focus?.id;
            const before = [...main.children], after = [...next.children];
            const clean = one => { const copy = one.cloneNode(true); copy.querySelectorAll('.copier').forEach(b => b.remove()); copy.querySelectorAll('.ready').forEach(c => c.classList.remove('ready')); return copy.outerHTML; };
            let changes = 0;
            after.forEach((one, index) => {
              if (before[index] && clean(before[index]) === one.outerHTML) return;
              changes++;
              if (before[index]) before[index].replaceWith(one); else main.append(one);
            });
            before.slice(after.length).forEach(one => { changes++; one.remove(); });
            if (!changes) return;
            decorate();
            if (focus && !focus.isConnected) {
              const again = id ? document.getElementById(id) : href && [...main.querySelectorAll('a')].find(one => one.getAttribute('href') === href);
              (again || main).focus({ preventScroll: true });
            }
            say('Updated');
          };

          const poll = async () => {
            timer = null;
            if (document.hidden) return;
            if (!isBusy()) {
              try {
                const answer = await fetch(location.href, { headers: tag ? { 'If-None-Match': tag } : {}, credentials: 'same-origin', cache: 'no-store' });
                if (answer.redirected) return location.reload();
                failures = 0;
                if (answer.status === 200) {
                  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
                  const next = page.getElementById('main');
                  if (next && !isBusy()) { tag = answer.headers.get('ETag'); document.title = page.title; replace(next); }
                } else if (answer.status !== 304) failures++;
              } catch { failures++; }
              if (failures > 1) say('No answer from associated; this page may be out of date');
            }
            plan();
          };
          const plan = () => { if (timer === null && isLive) timer = setTimeout(poll, 5000 * Math.min(12, 1 + failures)); };
          document.addEventListener('visibilitychange', () => { if (!document.hidden && timer === null && isLive) poll(); });

          const decorate = () => {
            if (!navigator.clipboard) return;
            for (const code of main.querySelectorAll('code.copy:not(.ready)')) {
              code.classList.add('ready');
              const button = document.createElement('button');
              button.type = 'button'; button.className = 'copier'; button.textContent = 'Copy';
              button.setAttribute('aria-label', 'Copy ' + code.textContent);
              button.onclick = async () => {
                try { await navigator.clipboard.writeText(code.textContent); button.textContent = 'Copied'; say('Copied'); }
                catch { getSelection().selectAllChildren(code); say('Selected; copy it with the keyboard'); }
                setTimeout(() => { button.textContent = 'Copy'; }, 2000);
              };
              code.after(button);
            }
          };
          // While an app file is written, what is wrong with it is said below.
          const draft = main.querySelector('form[data-check]');
          let waiting = null, round = 0;
          draft?.addEventListener('input', () => {
            clearTimeout(waiting);
            waiting = setTimeout(async () => {
              const mine = ++round, fields = new URLSearchParams(new FormData(draft));
              fields.set('do', 'check');
              try {
                const answer = await fetch(draft.action, { method: 'POST', body: fields, credentials: 'same-origin' });
                const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
                const result = page.getElementById('result');
                if (mine !== round) return;
                if (!result) return say('Not checked: the session may have ended. Check sends the text and keeps it.');
                document.getElementById('result').replaceWith(result);
                say('Checked');
              } catch { say('Not checked: no answer from associated'); }
            }, 600);
          });

          decorate();
          plan();
        })();

        """
}
