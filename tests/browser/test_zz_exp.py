import time, psutil, os, contextlib
from tests.browser.conftest import sign_in
def cpu():
    tot = {}
    for p in psutil.Process().children(recursive=True):
        with contextlib.suppress(Exception):
            c = p.cpu_times(); n = " ".join(p.cmdline())
            k = "gpu" if "gpu-process" in n else "renderer" if "renderer" in n else "net" if "utility" in n else "main" if "chrom" in n else "node" if "node" in n else "other"
            tot[(p.pid, k)] = c.user + c.system
    return tot
def spent(f):
    # renderers die: sample in the loop
    seen = dict(cpu()); acc = {}
    def take():
        for key, v in cpu().items():
            d = v - seen.get(key, 0); seen[key] = v
            acc[key[1]] = acc.get(key[1], 0) + d
    f(take); take()
    return {k: round(v, 2) for k, v in acc.items()}
N = 8
def test_exp(site, drafted, who):
    made = drafted(who)
    url = f"/instructions/{made['instruction']}"
    import httpx
    def opened(page, url):
        page.goto(url); page.wait_for_load_state("networkidle")
    for address in (url, "/jobs", f"/jobs/{made['job']}"):
        def fresh(take):
            for _ in range(N):
                with site.visitor(who) as c:
                    p = c.new_page(); opened(p, address); take()
        def empty(take):
            for _ in range(N):
                with site.visitor(who) as c:
                    p = c.new_page(); take()
        def newpage(take):
            with site.visitor(who) as c:
                for _ in range(N):
                    p = c.new_page(); opened(p, address); take(); p.close()
        def same(take):
            with site.visitor(who) as c:
                p = c.new_page()
                for _ in range(N):
                    opened(p, address); take()
        for f in (fresh, empty, newpage, same):
            t = time.time(); s = spent(f)
            print("EXP", address[:14], f.__name__, s, "sum", round(sum(s.values()) / N, 3), "wall", round((time.time() - t) / N, 2), flush=True)
